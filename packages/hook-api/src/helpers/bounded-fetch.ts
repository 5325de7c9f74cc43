export interface FetchBounds {
  /** For the whole of it: connecting, headers and body. */
  readonly timeoutMs: number;
  /** Of the body; what is longer is not read. */
  readonly maxBytes: number;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

export interface BoundedAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Whether the body was longer than `maxBytes`. */
  readonly isCut: boolean;
}

/**
 * `fetch` for servers that may do anything: an answer that never comes, never ends, or trickles costs a bounded time and
 * a bounded amount of memory, and leaves no connection open. A redirect is not followed; it could carry credentials
 * elsewhere. Rejects with a `TimeoutError` when the time is up.
 */
export async function boundedFetch(
  url: string | URL,
  request: RequestInit,
  { timeoutMs, maxBytes, signal }: FetchBounds,
): Promise<BoundedAnswer> {
  // Not AbortSignal.any with AbortSignal.timeout: the garbage collector may take both before they fire.
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(timeoutError(timeoutMs)), timeoutMs);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    const response = await fetch(url, { ...request, redirect: 'manual', signal: controller.signal });
    const { ok, status, headers } = response;
    const body = await readBody(response, maxBytes, controller.signal);
    return { ok, status, headers, ...body };
  } catch (error) {
    // Why it was aborted says more than that it was.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

async function readBody(
  { body }: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ text: string; isCut: boolean }> {
  const reader = body?.getReader();
  // Not left to fetch alone, which forgets its signal when the garbage collector takes the request.
  const cancel = (): void => void reader?.cancel().catch(() => {});
  signal.addEventListener('abort', cancel);
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  try {
    while (reader && maxBytes > 0 && bytes <= maxBytes) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return { text: text + decoder.decode(), isCut: false };
      bytes += value.byteLength;
      const excess = Math.max(0, bytes - maxBytes);
      text += decoder.decode(value.subarray(0, value.byteLength - excess), { stream: true });
    }
    return { text, isCut: bytes > maxBytes };
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

function timeoutError(timeoutMs: number): Error {
  return Object.assign(new Error(`there was no complete answer within ${timeoutMs} ms`), {
    name: 'TimeoutError',
  });
}
