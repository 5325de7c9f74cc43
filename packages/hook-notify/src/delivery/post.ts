import { retryAfter } from './retry-delay.js';
import type { Webhook } from './webhook.js';

/** The result of one attempt. The reason holds nothing of the address. */
export type Outcome =
  | { readonly sent: true }
  | {
      readonly sent: false;
      readonly reason: string;
      /** Whether another attempt makes sense. */
      readonly retry: boolean;
      /** How long the receiver asked to wait. */
      readonly afterMs?: number | undefined;
    };

/** Sends a message once. Never throws, and never takes longer than `timeoutMs`. */
export async function post(
  { href, headers }: Webhook,
  body: string,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<Outcome> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(href, {
      method: 'POST',
      headers,
      body,
      // A redirect would take the message to an address that the user did not name.
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    });
    // Nothing in the answer is of use, and an answer that is not read cannot be too long.
    await response.body?.cancel();
    return judge(response);
  } catch (error) {
    if (signal.aborted) return { sent: false, reason: 'the run was over', retry: false };
    if (timeout.aborted)
      return { sent: false, reason: `there was no answer in ${timeoutMs} ms`, retry: true };
    return { sent: false, reason: networkReason(error), retry: true };
  }
}

function judge({ ok, status, headers, type }: Response): Outcome {
  if (ok) return { sent: true };
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    return { sent: false, reason: 'the answer was a redirect, which is not followed', retry: false };
  }
  return {
    sent: false,
    reason: `the answer was status ${status}`,
    retry: status === 408 || status === 429 || status >= 500,
    afterMs: retryAfter(headers.get('retry-after')),
  };
}

/** Only the code of the error: its text may hold the address. */
function networkReason(error: unknown): string {
  const { code } = Object((error as { cause?: unknown }).cause) as { code?: unknown };
  return `the connection failed${typeof code === 'string' ? ` (${code})` : ''}`;
}
