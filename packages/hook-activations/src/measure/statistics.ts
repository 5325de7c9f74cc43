/** What is found out about the values of a tensor, or of several taken together. */
export interface Statistics {
  readonly count: number;
  /** NaN as soon as one value is. */
  readonly mean: number;
  /** Sum of the squared differences from the mean. */
  readonly squares: number;
  /** NaN when they were not asked for. Values that are NaN do not count. */
  readonly min: number;
  readonly max: number;
  readonly zeros: number;
  /** NaN or infinite. */
  readonly nonFinite: number;
  /** For each unit, which is a position along the last axis, whether it was ever other than 0. */
  readonly alive: Uint8Array | undefined;
  /** Some of the values, for a histogram. */
  readonly sample: Float32Array | undefined;
}

/** What to find out beside the sums. */
export interface Wanted {
  range: boolean;
  alive: boolean;
  sample: boolean;
}

export const ONLY_SUMS: Wanted = { range: false, alive: false, sample: false };

/** Of the values of both, as if they were of one tensor. */
export function merged(a: Statistics | undefined, b: Statistics): Statistics {
  if (!a) return b;
  const count = a.count + b.count;
  const difference = b.mean - a.mean;
  return {
    count,
    mean: a.mean + (difference * b.count) / count,
    squares: a.squares + b.squares + (difference * difference * a.count * b.count) / count,
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    zeros: a.zeros + b.zeros,
    nonFinite: a.nonFinite + b.nonFinite,
    alive: eitherAlive(a.alive, b.alive),
    sample: joined(a.sample, b.sample),
  };
}

export function stdOf({ squares, count }: Statistics): number {
  return Math.sqrt(squares / count);
}

/** Euclidean. */
export function normOf({ squares, mean, count }: Statistics): number {
  return Math.sqrt(squares + count * mean * mean);
}

/** The part of the units that were 0 for every sample. */
export function deadOf({ alive }: Statistics): number {
  if (!alive || alive.length === 0) return 0;
  return alive.reduce((dead, isAlive) => dead + 1 - isAlive, 0) / alive.length;
}

function eitherAlive(a: Uint8Array | undefined, b: Uint8Array | undefined): Uint8Array | undefined {
  if (!a || a.length !== b?.length) return b;
  return a.map((isAlive, unit) => isAlive | b[unit]!);
}

/** The steps of a long sequence would add up: what is there is enough. */
const ENOUGH = 4096;

function joined(a: Float32Array | undefined, b: Float32Array | undefined): Float32Array | undefined {
  if (!a || !b || a.length >= ENOUGH) return a ?? b;
  const both = new Float32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
