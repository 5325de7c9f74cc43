import { LINE_FLOATS } from './split.js';
import type { AlongRule } from './split-along.js';

/** Functions of rows: addresses of matrices, of vectors with one number for each row, then height and width. */
export function rows(
  matrices: readonly number[],
  vectors: readonly number[],
  height: number,
  perNumber: number,
): AlongRule {
  return {
    count: height,
    steps: (args) => [
      ...matrices.map((argument) => [argument, args[height + 1]! * 4] as const),
      ...vectors.map((argument) => [argument, 4] as const),
    ],
    cost: { units: [height, height + 1], nanoseconds: perNumber },
  };
}

/** Functions of numbers: addresses of as many floats as the argument behind them says. */
export function numbers(
  addresses: readonly number[],
  count: number,
  perNumber: number | readonly number[],
): AlongRule {
  const steps = addresses.map((argument) => [argument, 4] as const);
  return { count, grain: LINE_FLOATS, steps: () => steps, cost: { units: [count], nanoseconds: perNumber } };
}

/** The same where each block of so many things leaves so many bytes at some more addresses. Blocks stay whole. */
export function inBlocks(
  rule: AlongRule,
  size: number,
  sums: readonly number[],
  bytes: (args: readonly number[]) => number,
): AlongRule {
  return {
    ...rule,
    grain: size,
    // A fraction for each thing, but a whole number where a block begins, and parts begin there.
    steps: (args) => [
      ...rule.steps(args),
      ...sums.map((argument) => [argument, bytes(args) / size] as const),
    ],
  };
}
