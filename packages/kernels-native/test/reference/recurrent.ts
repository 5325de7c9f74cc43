import { unary } from '../support/functions.js';

const f = Math.fround;

/** Sequences that are computed, of `all` that lie in memory; those of one step lie `all` apart from the next. */
export interface SequenceSizes {
  readonly time: number;
  readonly batch: number;
  readonly units: number;
  readonly hard: boolean;
  readonly all: number;
}

export type Floats = Float32Array;

/** The activation of gates, and its slope where it gave y. */
export function gate(hard: boolean, x: Floats): Floats {
  return hard ? x.map((each) => Math.min(1, Math.max(0, f(f(each * f(0.2)) + 0.5)))) : unary('sigmoid', x);
}

export function gateSlope(hard: boolean, y: number): number {
  return hard ? (y > 0 && y < 1 ? f(0.2) : 0) : f(y * f(1 - y));
}

export const tanh = (x: Floats): Floats => unary('tanh', x);

export const tanhSlope = (y: number): number => f(1 - f(y * y));

/** Where a sequence of a step begins, with `width` numbers for each unit. */
export const at = ({ all, units }: SequenceSizes, t: number, sequence: number, width = 1): number =>
  (t * all + sequence) * width * units;

/** How many numbers there are from the first to the last that is computed. */
export const floatsOf = ({ time, batch, units, all }: SequenceSizes, width = 1): number =>
  ((time - 1) * all + batch) * width * units;
