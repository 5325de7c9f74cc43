import { type BoundedAnswer, boundedFetch } from '@hookline/hook-api/helpers';
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
  try {
    // Nothing in the answer is of use, and an answer that is not read cannot be too long.
    const bounds = { timeoutMs, maxBytes: 0, signal };
    return judge(await boundedFetch(href, { method: 'POST', headers, body }, bounds));
  } catch (error) {
    if (signal.aborted) return { sent: false, reason: 'the run was over', retry: false };
    if (Object(error).name === 'TimeoutError')
      return { sent: false, reason: `there was no answer within ${timeoutMs} ms`, retry: true };
    return { sent: false, reason: networkReason(error), retry: true };
  }
}

function judge({ ok, status, headers }: BoundedAnswer): Outcome {
  if (ok) return { sent: true };
  if (status >= 300 && status < 400) {
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
