import { floatValues } from '@hookline/numerics';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { Statistics, Wanted } from './statistics.js';

/** In JavaScript, in double precision, where the values are in our own memory (wasm, cpu). */
export function hostStatistics(
  tensor: Tensor,
  wanted: Wanted,
  positions: Int32Array | undefined,
): Statistics {
  const values = floatValues(tensor);
  const { length: count } = values;
  const { sum, sumSquares } = sumsOf(values);
  const mean = sum / count;
  const squares = sumSquares - count * mean * mean;
  return {
    count,
    mean,
    // Rounding can take it below zero when all values are equal.
    squares: Math.max(squares, 0),
    ...(wanted.range ? rangeOf(values) : NO_RANGE),
    zeros: countZeros(values),
    // Squares of single-precision numbers cannot overflow a double: the sum is finite when all values are.
    nonFinite: Number.isFinite(sumSquares) ? 0 : countNonFinite(values),
    alive: wanted.alive ? aliveUnits(values, tensor.shape.at(-1) ?? 1) : undefined,
    sample: wanted.sample ? pick(values, positions) : undefined,
  };
}

const NO_RANGE = { min: Number.NaN, max: Number.NaN };

// Hot loops, each as simple as can be: one that does everything at once takes several times as long. Two sums at a
// time, because one alone would wait for each addition to finish before the next.

function sumsOf(values: Float32Array): { sum: number; sumSquares: number } {
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

/** Without a branch on the values, which a processor cannot foresee. */
function countZeros(values: Float32Array): number {
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

/** A new minimum is rare, so this branch can be foreseen; Math.min would take ten times as long. Skips NaN. */
function rangeOf(values: Float32Array): { min: number; max: number } {
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return min <= max ? { min, max } : NO_RANGE;
}

function countNonFinite(values: Float32Array): number {
  let count = 0;
  for (let i = 0; i < values.length; i++) count += Number(!Number.isFinite(values[i]));
  return count;
}

/** By their bits, without the sign: of zero they are all 0. */
function aliveUnits(values: Float32Array, units: number): Uint8Array {
  const bits = new Int32Array(values.buffer, values.byteOffset, values.length);
  const seen = new Int32Array(units);
  for (let start = 0; start < bits.length; start += units) {
    for (let unit = 0; unit < units; unit++) seen[unit]! |= bits[start + unit]! << 1;
  }
  const alive = new Uint8Array(units);
  for (let unit = 0; unit < units; unit++) alive[unit] = Number(seen[unit] !== 0);
  return alive;
}

function pick(values: Float32Array, positions: Int32Array | undefined): Float32Array {
  if (!positions) return values.slice();
  const picked = new Float32Array(positions.length);
  for (let i = 0; i < positions.length; i++) picked[i] = values[positions[i]!]!;
  return picked;
}
