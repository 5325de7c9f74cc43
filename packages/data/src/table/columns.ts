import { hostValues, isTensor, nearValues } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { dataError } from '../errors.js';
import { isNumberArray, type NumberArray } from './number-array.js';
import { rowCopier } from './row-copier.js';
import type { SampleShape } from './shapes.js';

/** Values for many samples: a tensor whose first dimension is the sample, a typed array, or nested arrays. */
export type Column = tf.Tensor | NumberArray | readonly unknown[];

/** A typed array with the shape of one sample; the model's shape replaces it where the size is the same. */
export class FlatColumn {
  constructor(
    readonly values: NumberArray,
    readonly shape: readonly number[],
  ) {}
}

/** Samples that can be read by number. */
export interface Samples {
  readonly count: number;
  /** Consecutive samples; the tensor belongs to the caller. */
  slice(start: number, size: number): tf.Tensor;
  /** Samples by number; the tensor belongs to the caller. */
  gather(indices: Int32Array): tf.Tensor;
  /** All values, sample after sample, where they are in this process's memory. */
  hostValues(): NumberArray | undefined;
  /** The same, read from the device where that is needed. */
  values(): NumberArray | Promise<NumberArray>;
}

/**
 * A typed array is flat, so its sample shape comes from `expected` (the model's, or what the user said), and where
 * that does not fit, from the count of samples.
 */
export function samplesOf(
  column: Column | FlatColumn,
  path: string,
  expected: SampleShape | undefined,
  count?: number,
): Samples {
  if (isTensor(column)) return tensorSamples(column, path);
  if (column instanceof FlatColumn) return flatColumnSamples(column, expected);
  if (isNumberArray(column)) {
    const { shape, count: samples } = flatShape(column.length, path, expected, count);
    return flatSamples(column, shape, samples);
  }
  if (Array.isArray(column)) return nestedSamples(column, path);
  throw dataError('BAD_DATA', `${path} must be a tensor, a typed array or nested arrays of numbers.`);
}

/** Nested arrays are flattened once, on the host. */
function nestedSamples(nested: readonly unknown[], path: string): Samples {
  const shape: number[] = [];
  for (let part: unknown = nested; Array.isArray(part); part = part[0]) shape.push(part.length);
  const [count = 0, ...rest] = shape;
  const size = tf.util.sizeFromShape(rest);
  // Not by tfjs, which accepts uneven arrays and text without an error.
  const values = new Float32Array(count * size);
  nested.forEach((sample, index) => {
    if (!hasShape(sample, rest)) {
      throw dataError(
        'BAD_DATA',
        `${path} is a ragged array: sample ${index} does not have the shape [${rest}] of the first.`,
      );
    }
    const numbers = Array.isArray(sample) ? (sample.flat(Number.POSITIVE_INFINITY) as unknown[]) : [sample];
    numbers.forEach((value, position) => {
      if (typeof value !== 'number' && typeof value !== 'boolean') {
        throw dataError(
          'BAD_DATA',
          `${path} must hold numbers, but sample ${index} has ${JSON.stringify(value) ?? typeof value}.`,
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

function tensorSamples(tensor: tf.Tensor, path: string): Samples {
  const [count, ...shape] = tensor.shape;
  if (count === undefined) {
    throw dataError(
      'BAD_DATA',
      `${path} is a single number, expected a tensor whose first dimension is the sample.`,
    );
  }
  if (tensor.dtype === 'string' || tensor.dtype === 'complex64') {
    throw dataError(
      'BAD_DATA',
      `${path} is a tensor of ${tensor.dtype}, expected numbers. Replace each text by a number, such as its place in a list.`,
    );
  }
  const rest = shape.map(() => 0);
  const rows = rowCopier(shape, tensor.dtype === 'int32' ? 'int32' : 'float32');
  const known = () => hostValues(tensor)!;
  return {
    count,
    slice: (start, size) =>
      hostValues(tensor)
        ? rows.slice(known, start, size)
        : tf.slice(tensor, [start, ...rest], [size, ...shape]),
    gather: (indices) =>
      hostValues(tensor)
        ? rows.gather(known, indices)
        : tf.tidy(() => tf.gather(tensor, tf.tensor1d(indices, 'int32'))),
    hostValues: () => nearValues(tensor),
    values: () => tensor.data(),
  };
}

function flatColumnSamples({ values, shape }: FlatColumn, expected: SampleShape | undefined): Samples {
  const size = tf.util.sizeFromShape([...shape]);
  const known = expected?.every((each) => each !== null) ? (expected as number[]) : undefined;
  const fits = known !== undefined && tf.util.sizeFromShape(known) === size;
  return flatSamples(values, fits ? known : shape, values.length / size);
}

function flatSamples(values: NumberArray, shape: readonly number[], count: number): Samples {
  const rows = rowCopier(shape, values instanceof Int32Array ? 'int32' : 'float32');
  const all = () => values;
  return {
    count,
    slice: (start, size) => rows.slice(all, start, size),
    gather: (indices) => rows.gather(all, indices),
    hostValues: () => values,
    values: () => values,
  };
}

function flatShape(
  length: number,
  path: string,
  expected: SampleShape | undefined,
  known: number | undefined,
): { shape: number[]; count: number } {
  const shape = expected?.every((size) => size !== null) ? (expected as number[]) : undefined;
  const width = shape && tf.util.sizeFromShape(shape);
  if (known === undefined) {
    if (shape && width && length % width === 0) return { shape, count: length / width };
    throw dataError(
      'BAD_DATA',
      shape
        ? `${path} has ${length} values, which is not a multiple of ${width}, the size of a sample of shape [${shape}].`
        : `${path} is a typed array, but the shape of a sample is unknown. Give a tensor, or the shape: new DataLoader(data, { shapes: { '${path}': [...] } }).`,
    );
  }
  if (known === 0 || length % known !== 0) {
    throw dataError(
      'BAD_DATA',
      `${path} has ${length} values, which cannot be divided evenly among ${known} samples.`,
    );
  }
  if (shape && width === length / known) return { shape, count: known };
  return { shape: length === known ? [] : [length / known], count: known };
}
