import { afterEach, describe, expect, test, vi } from 'vitest';
import { boundedFetch } from '../src/helpers.js';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Time never ends it: what does must be the bound under test. */
const LONG = 300_000;
const PIECE = 1000;
/** A server that is cut off at last, so that a bound that is missing is seen and not waited for. */
const MOST_PIECES = 500;

/** Answers every `fetch` with a body that comes in pieces, and counts what is read of it. */
function answering(piece: (index: number) => string | undefined) {
  const seen = { pieces: 0, isCancelled: false, request: {} as RequestInit };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const text = seen.pieces < MOST_PIECES ? piece(seen.pieces) : undefined;
        if (text === undefined) return controller.close();
        seen.pieces++;
        controller.enqueue(new TextEncoder().encode(text));
      },
      cancel() {
        seen.isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  vi.stubGlobal('fetch', async (_url: string, request: RequestInit) => {
    seen.request = request;
    return new Response(body, { status: 503 });
  });
  return seen;
}

function ask(bounds: { maxBytes?: number; timeoutMs?: number; signal?: AbortSignal } = {}) {
  const { signal = new AbortController().signal } = bounds;
  return boundedFetch('http://a.test', {}, { timeoutMs: LONG, maxBytes: 2500, ...bounds, signal });
}

describe('the body', () => {
  test('that has no end is read up to the bound, and then left', async () => {
    const seen = answering(() => 'x'.repeat(PIECE));
    expect(await ask()).toMatchObject({ ok: false, status: 503, text: 'x'.repeat(2500), isCut: true });
    expect(seen).toMatchObject({ pieces: 3, isCancelled: true });
  });

  test('that is exactly as long as the bound is whole', async () => {
    answering((index) => (index < 2 ? 'x'.repeat(PIECE) : undefined));
    expect(await ask({ maxBytes: 2 * PIECE })).toMatchObject({ text: 'x'.repeat(2 * PIECE), isCut: false });
  });

  test('is not touched where nobody wants any of it', async () => {
    const seen = answering(() => 'x');
    expect(await ask({ maxBytes: 0 })).toMatchObject({ status: 503, text: '', isCut: false });
    expect(seen).toMatchObject({ pieces: 0, isCancelled: true });
  });

  test('may break a character in two between its pieces', async () => {
    const bytes = new TextEncoder().encode('aé');
    vi.stubGlobal('fetch', async () => {
      const halves = [bytes.subarray(0, 2), bytes.subarray(2)];
      return new Response(ReadableStream.from(halves) as ReadableStream<Uint8Array>);
    });
    expect(await ask()).toMatchObject({ text: 'aé', isCut: false });
  });
});

test('a body that trickles ends when the time is up, and is left', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const seen = answering(() => {
    vi.advanceTimersByTime(100);
    return 'x';
  });
  const answer = ask({ timeoutMs: 1000 });
  await expect(answer).rejects.toMatchObject({
    name: 'TimeoutError',
    message: expect.stringContaining('1000 ms'),
  });
  expect(seen.isCancelled).toBe(true);
  expect(seen.pieces).toBe(10);
});

test.each(['before it begins', 'in the middle of the body'])('who asked can end it %s', async (moment) => {
  const end = new AbortController();
  const reason = new Error('enough');
  answering(() => {
    end.abort(reason);
    return 'x';
  });
  if (moment === 'before it begins') end.abort(reason);
  await expect(ask({ signal: end.signal })).rejects.toBe(reason);
});

test('no timer is left, and a redirect is not followed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const seen = answering(() => undefined);
  await ask();
  expect(vi.getTimerCount()).toBe(0);
  expect(seen.request.redirect).toBe('manual');
});
