import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import type { NamedShape } from '../model/trainable.js';
import { isTensor } from '../tensors.js';

export type NumberArray =
  | Float32Array
  | Float64Array
  | Int32Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array;

/** Values for many samples: a tensor whose first dimension is the sample, a typed array, or nested arrays. */
export type Column = tf.Tensor | NumberArray | readonly unknown[];

/** Samples that can be picked by number. */
export interface Samples {
  readonly count: number;
  /** Consecutive samples; the tensor is the caller's. */
  slice(start: number, size: number): tf.Tensor;
  /** Samples by number; the tensor is the caller's. */
  gather(indices: Int32Array): tf.Tensor;
}

/**
 * A typed array is flat, so its sample shape comes from `expected` (the model), and where that does not fit, from
 * the count of samples.
 */
export function samplesOf(
  column: Column,
  name: string,
  expected: NamedShape | undefined,
  count?: number,
): Samples {
  if (isTensor(column)) return tensorSamples(column);
  if (ArrayBuffer.isView(column)) return arraySamples(column as NumberArray, name, expected, count);
  if (Array.isArray(column)) return nestedSamples(column, name);
  throw trainerError('BAD_DATA', `${name} must be a tensor, a typed array or nested arrays of numbers.`);
}

/** Nested arrays are flattened once, on the host. */
function nestedSamples(nested: readonly unknown[], name: string): Samples {
  const shape: number[] = [];
  for (let part: unknown = nested; Array.isArray(part); part = part[0]) shape.push(part.length);
  const [count = 0, ...rest] = shape;
  const size = rest.reduce((product, each) => product * each, 1);
  // By hand: tfjs takes uneven arrays and text without a word.
  const values = new Float32Array(count * size);
  nested.forEach((sample, index) => {
    if (!hasShape(sample, rest)) {
      throw trainerError(
        'BAD_DATA',
        `${name} is no even array: sample ${index} is not of shape [${rest}] like the first.`,
      );
    }
    const numbers = Array.isArray(sample) ? (sample.flat(Number.POSITIVE_INFINITY) as unknown[]) : [sample];
    numbers.forEach((value, position) => {
      if (typeof value !== 'number' && typeof value !== 'boolean') {
        throw trainerError(
          'BAD_DATA',
          `${name} must hold numbers, but sample ${index} has ${JSON.stringify(value) ?? typeof value}.`,
        );
      }
      values[index * size + position] = Number(value);
    });
  });
  return flatSamples(values, rest, count);
}

function hasShape(nested: unknown, [length, ...rest]: readonly number[]): boolean {
  if (length === undefined) return !Array.isArray(nested);
  return Array.isArray(nested) && nested.length === length && nested.every((part) => hasShape(part, rest));
}

function tensorSamples(tensor: tf.Tensor): Samples {
  const [count = 0, ...shape] = tensor.shape;
  const rest = shape.map(() => 0);
  return {
    count,
    slice: (start, size) => tf.slice(tensor, [start, ...rest], [size, ...shape]),
    gather: (indices) => tf.tidy(() => tf.gather(tensor, tf.tensor1d(indices, 'int32'))),
  };
}

function arraySamples(
  values: NumberArray,
  name: string,
  expected: NamedShape | undefined,
  known?: number,
): Samples {
  const { shape, count } = flatShape(values.length, name, expected, known);
  return flatSamples(values, shape, count);
}

function flatSamples(values: NumberArray, shape: readonly number[], count: number): Samples {
  const width = shape.reduce((product, size) => product * size, 1);
  const dtype = values instanceof Int32Array ? 'int32' : 'float32';
  const Values = dtype === 'int32' ? Int32Array : Float32Array;
  const make = (data: Float32Array | Int32Array) => tf.tensor(data, [data.length / width, ...shape], dtype);
  return {
    count,
    // `from` copies: backends may keep the array they are given.
    slice: (start, size) => make(Values.from(values.subarray(start * width, (start + size) * width))),
    gather: (indices) => {
      const picked = new Values(indices.length * width);
      indices.forEach((sample, row) => {
        picked.set(values.subarray(sample * width, (sample + 1) * width), row * width);
      });
      return make(picked);
    },
  };
}

function flatShape(
  length: number,
  name: string,
  expected: NamedShape | undefined,
  known: number | undefined,
): { shape: number[]; count: number } {
  const shape = expected?.shape.every((size) => size !== null) ? (expected.shape as number[]) : undefined;
  const width = shape?.reduce((product, size) => product * size, 1);
  if (known === undefined) {
    if (shape && width && length % width === 0) return { shape, count: length / width };
    throw trainerError(
      'BAD_DATA',
      shape
        ? `${name} has ${length} values, which is no multiple of the ${width} that a sample of shape [${shape}] takes.`
        : `${name} is a typed array, but the shape of a sample is not known. Give a tensor instead.`,
    );
  }
  if (known === 0 || length % known !== 0) {
    throw trainerError(
      'BAD_DATA',
      `${name} has ${length} values, which cannot be split over ${known} samples.`,
    );
  }
  if (shape && width === length / known) return { shape, count: known };
  return { shape: length === known ? [] : [length / known], count: known };
}
