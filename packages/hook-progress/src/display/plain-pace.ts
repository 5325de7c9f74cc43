/** Seconds between lines when the length of the epoch is unknown. */
const UNKNOWN_TOTAL_MS = 10_000;
const KNOWN_TOTAL_MS = 1_000;

export interface PacePoint {
  /** Batches of the epoch. */
  done: number;
  milliseconds: number;
}

/** Whether a plain line is due: about every tenth of an epoch, and never twice within a second. */
export function isPlainLineDue(now: PacePoint, last: PacePoint, total: number | undefined): boolean {
  const waited = now.milliseconds - last.milliseconds;
  if (total === undefined) return waited >= UNKNOWN_TOTAL_MS;
  const tenth = (point: PacePoint) => Math.floor((10 * point.done) / total);
  // The end of the epoch gets its own line.
  return waited >= KNOWN_TOTAL_MS && tenth(now) > tenth(last) && now.done < total;
}
