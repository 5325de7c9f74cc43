import { numbers } from '../backends.js';
import type { BenchMemory } from '../native/bench-memory.js';
import type { Draw } from '../native/cases.js';

const SPECIAL = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0, 1e-41, -3e-45, 3e38];

/** Draws the arguments of one call, in empty memory; with `special` a few numbers are not ordinary ones. */
export function drawing(bench: BenchMemory, seed: number, special = false): Draw {
  const next = numbers(seed);
  bench.clear();
  const number = (low: number, high: number): number => {
    if (special && next() < 0.02) return SPECIAL[Math.floor(next() * SPECIAL.length)]!;
    return low + next() * (high - low);
  };
  return {
    whole: (low, high) => low + Math.floor(next() * (high - low + 1)),
    flag: () => next() < 0.5,
    floats: (count) => bench.floats(count, () => number(-2, 2)),
    between: (count, low, high) => bench.floats(count, () => number(low, high)),
    number: (low, high) => low + next() * (high - low),
  };
}
