import type { BenchMemory } from '../native/bench-memory.js';
import type { Draw } from '../native/cases.js';
import { CASES, type OtherTypes } from './cases.js';
import { drawing } from './drawing.js';
import { PLAIN_IMAGES } from './plain-images.js';
import { type Plain, PlainMemory } from './plain-memory.js';
import { PLAIN_NORMS } from './plain-norms.js';
import { PLAIN_NUMBERS } from './plain-numbers.js';
import { PLAIN_PRODUCTS } from './plain-products.js';
import { PLAIN_SEQUENCES } from './plain-sequences.js';
import { PLAIN_LOSSES, PLAIN_OPTIMIZERS } from './plain-training.js';
import { PLAIN_VOLUMES } from './plain-volumes.js';

/** The functions of the module, the slow and obvious way. */
export const PLAIN: Readonly<Record<string, Plain>> = {
  ...PLAIN_PRODUCTS,
  ...PLAIN_IMAGES,
  ...PLAIN_VOLUMES,
  ...PLAIN_NUMBERS,
  ...PLAIN_NORMS,
  ...PLAIN_SEQUENCES,
  ...PLAIN_LOSSES,
  ...PLAIN_OPTIMIZERS,
};

/** Relative to the largest number of a result: sums have some hundred terms here. */
const TOLERANCE = 2e-5;
/** From step to step the weights drawn here multiply what rounding has left. */
const RECURRENT_TOLERANCE = 5e-4;

/** Where a function of the module differs from plain arithmetic, or writes to what is not its result, in words. */
export function differences(bench: BenchMemory, name: string, seeds: readonly number[]): string[] {
  const functions = bench.module as unknown as Record<string, (...args: unknown[]) => number | undefined>;
  const tolerance = /^(lstm|gru)/.test(name) ? RECURRENT_TOLERANCE : TOLERANCE;
  return seeds.flatMap((seed) => {
    const draw = drawing(bench, seed * 104_729 + name.length);
    const { args } = CASES[name]!(draw, otherTypes(bench, draw));
    const memory = new PlainMemory(bench);
    const expected = PLAIN[name]!(memory, ...args.map(Number));
    const actual = functions[name]!(...args);
    const found = memory.differences(tolerance);
    const isNear = typeof expected !== 'number' || relative(actual!, expected) < tolerance;
    if (!isNear) found.push(`${actual} in place of ${expected}`);
    return found.map((difference) => `seed ${seed}, ${name}(${args}): ${difference}`);
  });
}

function relative(actual: number, expected: number): number {
  return Math.abs(actual - expected) / Math.max(1, Math.abs(expected));
}

function otherTypes(bench: BenchMemory, { whole, number }: Draw): OtherTypes {
  const made = (count: number) => bench.floats(count, () => 0);
  return {
    words: (count, low, high) => {
      const at = made(count);
      for (let i = 0; i < count; i++) bench.words[at / 4 + i] = whole(low, high);
      return at;
    },
    bytes: (count) => {
      const at = made(count);
      for (let i = 0; i < count; i++) bench.bytes[at + i] = whole(0, 1);
      return at;
    },
    doubles: (count) => {
      const at = made(2 * count);
      const view = new DataView(bench.bytes.buffer);
      for (let i = 0; i < count; i++) view.setFloat64(at + 8 * i, number(-100, 100), true);
      return at;
    },
  };
}
