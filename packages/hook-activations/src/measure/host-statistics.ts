import {
  activeAccelerator,
  countNonFinite,
  countZeros,
  floatValues,
  rangeOf,
  sumsOf,
} from '@hookline/numerics';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { Statistics, Wanted } from './statistics.js';

type Summary = Omit<Statistics, 'alive' | 'sample'>;

/** In double precision, where the values are in this process's memory (wasm, cpu). */
export function hostStatistics(
  tensor: Tensor,
  wanted: Wanted,
  positions: Int32Array | undefined,
): Statistics {
  const summary = acceleratedSummary(tensor) ?? summaryOf(floatValues(tensor), wanted.range);
  if (!wanted.alive && !wanted.sample) return { ...summary, alive: undefined, sample: undefined };
  const values = floatValues(tensor);
  return {
    ...summary,
    alive: wanted.alive ? aliveUnits(values, tensor.shape.at(-1) ?? 1) : undefined,
    sample: wanted.sample ? pick(values, positions) : undefined,
  };
}

/** Undefined where a value is not finite: the accelerator leaves such values out, and here they must show. */
function acceleratedSummary(tensor: Tensor): Summary | undefined {
  const found = activeAccelerator()?.statistics(tensor);
  const { size: count } = tensor;
  if (found?.finite !== count) return undefined;
  const { mean, std, min, max, zeros } = found;
  return { count, mean, squares: std * std * count, min, max, zeros, nonFinite: 0 };
}

function summaryOf(values: Float32Array, wantsRange: boolean): Summary {
  const { length: count } = values;
  const { sum, sumSquares } = sumsOf(values);
  const mean = sum / count;
  return {
    count,
    mean,
    // Rounding can take it below zero when all values are equal.
    squares: Math.max(sumSquares - count * mean * mean, 0),
    ...(wantsRange ? rangeOf(values) : NO_RANGE),
    zeros: countZeros(values),
    // Squares of single-precision numbers cannot overflow a double: the sum is finite when all values are.
    nonFinite: Number.isFinite(sumSquares) ? 0 : countNonFinite(values),
  };
}

const NO_RANGE = { min: Number.NaN, max: Number.NaN };

/** By their bits, without the sign: those of zero are all 0. */
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
