import type { Call, ExportName } from './team.js';

/** An operation as calls of one function; no two of them write to the same numbers. */
export interface Split {
  readonly name: ExportName;
  readonly calls: readonly Call[];
}

/** An estimate of the time on one thread: so much for each unit; the product of some arguments is their number. */
export interface Cost {
  /** Which arguments. */
  readonly units: readonly number[];
  /** One for each value of the first argument, where that is a code. */
  readonly nanoseconds: number | readonly number[];
}

export interface Splitter {
  readonly cost: Cost;
  split(args: readonly number[], threads: number): Split;
}

export interface Range {
  readonly first: number;
  readonly count: number;
}

/** A line of the cache: two threads that write to the same one slow each other down. */
export const LINE_FLOATS = 16;

/** 0 to `total` in at most so many ranges, each a multiple of `grain` but the last. */
export function ranges(total: number, most: number, grain: number): Range[] {
  const size = Math.max(1, Math.ceil(total / most / grain)) * grain;
  const found: Range[] = [];
  for (let first = 0; first < total; first += size)
    found.push({ first, count: Math.min(size, total - first) });
  return found;
}

/**
 * How things of equal size are shared out: two ranges for each thread, so that the others can take some of the share of
 * a thread that is late; one range each where two would leave a thread idle at the end.
 */
export function shares(total: number, threads: number, grain = 1): Range[] {
  const small = ranges(total, threads * 2, grain);
  return small.length % threads === 0 ? small : ranges(total, threads, grain);
}
