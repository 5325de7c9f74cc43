import { type Moments, NO_MOMENTS, type Statistics, type Wanted } from './recorder.js';

/** In double precision, of values in our own memory. */
export function hostStatistics(values: Float32Array, wanted: Wanted): Statistics {
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

// Hot loops. Several sums at once, because one alone would wait for each addition to finish before the next; and no
// branches on the values that a processor cannot foresee.

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

export function sumOfSquaredDifferences(after: Float32Array, before: Float32Array): number {
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

/** The values must be finite; of none at all, everything is NaN. */
export function momentsOf(values: Float32Array): Moments {
  let min = Infinity;
  let max = -Infinity;
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    sum += value;
    // A branch that can be foreseen: a new minimum is rare. Math.min would take ten times as long.
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
