import type { Tensor } from '@tensorflow/tfjs-core';
import { activeAccelerator, type TensorMovement, type TensorStatistics } from './accelerator.js';
import { floatValues } from './host-values.js';

/** What to find out beside the sum of squares and how many values are finite. */
export interface WantedStatistics {
  readonly zeros: boolean;
  readonly moments: boolean;
}

/** Over the finite values; NaN where there are none. */
export type Moments = Pick<TensorStatistics, 'min' | 'max' | 'mean' | 'std'>;

export const NO_MOMENTS: Moments = {
  min: Number.NaN,
  max: Number.NaN,
  mean: Number.NaN,
  std: Number.NaN,
};

/**
 * The statistics of a tensor whose values are in this process's memory (wasm, cpu), in double precision. What was not
 * asked for may be NaN.
 */
export function statisticsOf(tensor: Tensor, wanted: WantedStatistics): TensorStatistics {
  return activeAccelerator()?.statistics(tensor) ?? hostStatistics(floatValues(tensor), wanted);
}

/** How far a tensor has moved, under the same conditions. */
export function movementOf(before: Tensor, after: Tensor): TensorMovement {
  return (
    activeAccelerator()?.movement(before, after) ?? hostMovement(floatValues(before), floatValues(after))
  );
}

export function hostStatistics(values: Float32Array, wanted: WantedStatistics): TensorStatistics {
  const sumSquares = sumOfSquares(values);
  // Squares of single-precision numbers cannot overflow a double: the sum is finite when all values are.
  const finite = Number.isFinite(sumSquares) ? values : values.filter(Number.isFinite);
  return {
    sumSquares,
    finite: finite.length,
    zeros: wanted.zeros ? countZeros(values) : Number.NaN,
    ...(wanted.moments ? momentsOf(finite) : NO_MOMENTS),
  };
}

export function hostMovement(before: Float32Array, after: Float32Array): TensorMovement {
  return { before: sumOfSquares(before), change: sumOfSquaredDifferences(after, before) };
}

// Hot loops, each as simple as possible: one that does everything at once takes several times as long. They keep
// several sums at a time, because a single sum waits for each addition to finish before the next can begin, and they
// do not branch on the values where a processor could not predict the branch.

export function sumOfSquares(values: Float32Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  const whole = values.length - (values.length % 4);
  for (let i = 0; i < whole; i += 4) {
    const w = values[i]!;
    const x = values[i + 1]!;
    const y = values[i + 2]!;
    const z = values[i + 3]!;
    a += w * w;
    b += x * x;
    c += y * y;
    d += z * z;
  }
  for (let i = whole; i < values.length; i++) a += values[i]! * values[i]!;
  return a + b + (c + d);
}

/** Both sums in one pass over the memory. */
export function sumsOf(values: Float32Array): { sum: number; sumSquares: number } {
  let a = 0;
  let b = 0;
  let squaresA = 0;
  let squaresB = 0;
  const whole = values.length - (values.length % 2);
  for (let i = 0; i < whole; i += 2) {
    const x = values[i]!;
    const y = values[i + 1]!;
    a += x;
    b += y;
    squaresA += x * x;
    squaresB += y * y;
  }
  const last = whole < values.length ? values[whole]! : 0;
  return { sum: a + b + last, sumSquares: squaresA + squaresB + last * last };
}

function sumOfSquaredDifferences(after: Float32Array, before: Float32Array): number {
  let a = 0;
  let b = 0;
  const whole = after.length - (after.length % 2);
  for (let i = 0; i < whole; i += 2) {
    const x = after[i]! - before[i]!;
    const y = after[i + 1]! - before[i + 1]!;
    a += x * x;
    b += y * y;
  }
  if (whole < after.length) a += (after[whole]! - before[whole]!) ** 2;
  return a + b;
}

/** Zeros of both signs. */
export function countZeros(values: Float32Array): number {
  let a = 0;
  let b = 0;
  const whole = values.length - (values.length % 2);
  for (let i = 0; i < whole; i += 2) {
    a += Number(values[i] === 0);
    b += Number(values[i + 1] === 0);
  }
  if (whole < values.length) a += Number(values[whole] === 0);
  return a + b;
}

export function countNonFinite(values: Float32Array): number {
  let count = 0;
  for (let i = 0; i < values.length; i++) count += Number(!Number.isFinite(values[i]));
  return count;
}

/** Skips NaN; of nothing else, both are NaN. */
export function rangeOf(values: Float32Array): Pick<Moments, 'min' | 'max'> {
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    // A branch that can be predicted: a new minimum is rare. Math.min would take ten times as long.
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return min <= max ? { min, max } : { min: Number.NaN, max: Number.NaN };
}

/** The values must be finite. */
export function momentsOf(values: Float32Array): Moments {
  let min = Infinity;
  let max = -Infinity;
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  const { length } = values;
  if (length === 0) return NO_MOMENTS;
  const mean = sum / length;
  return { min, max, mean, std: Math.sqrt(squaredDeviations(values, mean) / length) };
}

function squaredDeviations(values: Float32Array, mean: number): number {
  let a = 0;
  let b = 0;
  const whole = values.length - (values.length % 2);
  for (let i = 0; i < whole; i += 2) {
    const x = values[i]! - mean;
    const y = values[i + 1]! - mean;
    a += x * x;
    b += y * y;
  }
  if (whole < values.length) a += (values[whole]! - mean) ** 2;
  return a + b;
}
