import * as tf from '@tensorflow/tfjs-core';
import { numbers, on } from './backends.js';
import type { Case, Input } from './cases/case.js';

export interface Outcome {
  readonly values: readonly { shape: readonly number[]; dtype: string; data: readonly number[] }[];
}

/** What a case gives on a backend: its results, then the gradients of its inputs. */
export function outcome(backend: 'cpu' | 'wasm', each: Case): Promise<Outcome> {
  return on(backend, () => {
    const tensors = makeInputs(each.inputs);
    const run = each.run as (...tensors: tf.Tensor[]) => tf.Tensor | tf.Tensor[];
    const results = [run(...tensors)].flat();
    return { values: [...results, ...gradientsOf(each, run, tensors, results)].map(read) };
  });
}

function makeInputs(inputs: readonly Input[]): tf.Tensor[] {
  return inputs.map(({ shape, dtype = 'float32', range = [-1, 1] }, index) => {
    const random = numbers(index + 17 * shape.length + 1);
    const [low, high] = range;
    const values = Array.from({ length: tf.util.sizeFromShape(shape) }, () => {
      const value = low + random() * (high - low);
      return dtype === 'float32'
        ? value
        : dtype === 'bool'
          ? Number(value > (low + high) / 2)
          : Math.floor(value);
    });
    return tf.tensor(values, shape, dtype);
  });
}

function gradientsOf(
  { inputs, gradients }: Case,
  run: (...tensors: tf.Tensor[]) => tf.Tensor | tf.Tensor[],
  tensors: tf.Tensor[],
  [result]: readonly tf.Tensor[],
): tf.Tensor[] {
  const floats = inputs.flatMap(({ dtype = 'float32' }, index) => (dtype === 'float32' ? [index] : []));
  const wanted = gradients ?? floats;
  if (wanted.length === 0 || !result || result.dtype !== 'float32') return [];
  const dy = tf.tensor(
    Array.from({ length: result.size }, (_, i) => Math.cos(i * 0.7)),
    result.shape,
  );
  const of = (...some: tf.Tensor[]) => {
    const all = [...tensors];
    for (const [i, index] of wanted.entries()) all[index] = some[i]!;
    return [run(...all)].flat()[0]!;
  };
  return tf.grads(of)(
    wanted.map((index) => tensors[index]!),
    dy,
  );
}

function read(tensor: tf.Tensor) {
  return { shape: tensor.shape, dtype: tensor.dtype, data: [...tensor.dataSync()] };
}

/** The largest difference, relative to the largest number; infinite where one is finite and the other is not. */
export function distance(actual: readonly number[], expected: readonly number[]): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  let [most, scale] = [0, 0];
  for (const [i, value] of expected.entries()) {
    const other = actual[i]!;
    if (Object.is(value, other) || value === other) continue;
    if (!Number.isFinite(value) || !Number.isFinite(other)) return Number.POSITIVE_INFINITY;
    most = Math.max(most, Math.abs(value - other));
  }
  for (const value of expected) if (Number.isFinite(value)) scale = Math.max(scale, Math.abs(value));
  return most === 0 ? 0 : most / Math.max(scale, 1e-3);
}

/** Where wasm differs from cpu, or leaks, in words. */
export async function differences(cases: readonly Case[]): Promise<string[]> {
  const failures: string[] = [];
  for (const each of cases) {
    try {
      const expected = await outcome('cpu', each);
      const tensorsBefore = tf.memory().numTensors;
      const actual = await outcome('wasm', each);
      if (tf.memory().numTensors !== tensorsBefore) failures.push(`${each.name}: leaks`);
      for (const [i, { shape, dtype, data }] of expected.values.entries()) {
        const other = actual.values[i]!;
        const far = distance(other.data, data);
        const isSame = String(other.shape) === String(shape) && other.dtype === dtype;
        if (isSame && far <= (each.tolerance ?? 1e-5)) continue;
        failures.push(`${each.name} #${i}: ${far} [${other.shape}] [${shape}] ${other.dtype} ${dtype}`);
      }
    } catch (error) {
      failures.push(`${each.name}: ${(error as Error).message}`);
    }
  }
  return failures;
}

/**
 * How far the gradients of a case on wasm are from finite differences: along one random direction for each input,
 * relative to the lengths of both. Kinks and rounding leave a few thousandths.
 */
export function slopeErrors(each: Case): Promise<number[]> {
  return on('wasm', () => {
    const tensors = makeInputs(each.inputs);
    const run = each.run as (...tensors: tf.Tensor[]) => tf.Tensor | tf.Tensor[];
    const [result] = [run(...tensors)].flat();
    const gradients = gradientsOf(each, run, tensors, [result!]);
    const wanted =
      each.gradients ??
      each.inputs.flatMap(({ dtype }, i) => (dtype === undefined || dtype === 'float32' ? [i] : []));
    return gradients.map((gradient, i) => {
      const x = tensors[wanted[i]!]!;
      const random = numbers(i + 99);
      const direction = tf.tensor(
        Array.from({ length: x.size }, () => random() - 0.5),
        x.shape,
      );
      const step = 1e-3;
      const loss = (sign: number): number => {
        const all = [...tensors];
        all[wanted[i]!] = tf.add(x, tf.mul(direction, sign * step));
        const y = [run(...all)].flat()[0]!;
        return dot(
          y.dataSync(),
          Array.from({ length: y.size }, (_, k) => Math.cos(k * 0.7)),
        );
      };
      const slope = (loss(1) - loss(-1)) / (2 * step);
      const [g, d] = [gradient.dataSync(), direction.dataSync()];
      const scale = Math.sqrt(dot(g, g) * dot(d, d)) + 1e-6;
      return Math.abs(slope - dot(g, d)) / scale;
    });
  });
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
