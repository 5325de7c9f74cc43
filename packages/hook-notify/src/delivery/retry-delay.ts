/** Nobody waits longer than this for a message. */
const MOST_MS = 5 * 60_000;
const FIRST_MS = 500;

/**
 * How long to wait before the next attempt, which is the second for `attempt` 0: twice as long each time, with a random
 * part, so that many runs that failed together do not try again together. Where the receiver says how long to wait,
 * that is done; undefined when it asks for too long.
 */
export function retryDelay(
  attempt: number,
  afterMs: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  const backOff = FIRST_MS * 2 ** attempt * (0.5 + random() / 2);
  const delay = Math.max(backOff, afterMs ?? 0);
  return delay <= MOST_MS ? delay : undefined;
}

/** The header in milliseconds from now, given as seconds or as a date; undefined when it says neither. */
export function retryAfter(header: string | null, now: number = Date.now()): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
