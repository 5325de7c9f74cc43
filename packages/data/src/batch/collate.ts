import type { Batch } from '@hookline/hook-api';
import { isTensor, mapTree } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { dataError, withoutXs } from '../errors.js';
import { FlatColumn } from '../table/columns.js';
import { isNumberArray, type NumberArray } from '../table/number-array.js';
import { type Columns, rowsOf, type Table, wholeOf } from '../table/table.js';
import { tensorsIn } from './tensors-in.js';
import { type BatchContext, isTensorBatch } from './to-batch.js';

/** One sample: the values of its inputs and targets, without a dimension for the batch. */
export interface Sample {
  xs: SampleValues;
  ys?: SampleValues | undefined;
  weights?: SampleValues | undefined;
}

/** A number, a typed array, nested arrays of numbers, a tensor, or several of these by name. */
export type SampleValues =
  | number
  | NumberArray
  | tf.Tensor
  | readonly unknown[]
  | { readonly [name: string]: SampleValues };

/** Makes one batch of several items. */
export type Collate<Item> = (items: Item[]) => Batch | Table | Promise<Batch | Table>;

/** How a loader makes batches of items. */
export interface Collation<Item> {
  collate: Collate<Item>;
  /** Whether tensors in the items are ours; otherwise they remain the user's. */
  owned: boolean;
}

/** The batch of these items; all its tensors are ours. Tensors of ours that it does not hold are disposed. */
export async function collateBatch<Item>(
  items: Item[],
  index: number,
  { collate, owned }: Collation<Item>,
  { name, shapes }: BatchContext,
): Promise<Batch> {
  const given = new Set(items.flatMap(tensorsIn));
  let made: Batch | Table | undefined;
  let batch: Batch | undefined;
  try {
    made = await collate(items);
    if (typeof made !== 'object' || made === null || !('xs' in made)) throw withoutXs(name, index);
    batch = isTensorBatch(made) ? made : wholeOf(rowsOf(made, name, shapes));
    return owned ? batch : cloneShared(batch, given);
  } finally {
    const kept = new Set(batch && tensorsIn(batch));
    const spare = [...(owned ? given : []), ...tensorsIn(made).filter((tensor) => !given.has(tensor))];
    tf.dispose(spare.filter((tensor) => !kept.has(tensor)));
  }
}

/** The default: stacks the values of the samples. */
export function stackSamples(samples: readonly Sample[]): Table {
  const made: tf.Tensor[] = [];
  const part = (key: keyof Sample): Columns =>
    stack(
      samples.map((sample) => Object(sample)[key] as SampleValues),
      key,
      made,
    );
  const [first] = samples;
  try {
    return {
      xs: part('xs'),
      ...(first?.ys !== undefined && { ys: part('ys') }),
      ...(first?.weights !== undefined && { weights: part('weights') }),
    };
  } catch (error) {
    tf.dispose(made);
    throw error;
  }
}

/** Adds the tensors it makes to `made`. */
function stack(values: readonly SampleValues[], path: string, made: tf.Tensor[]): Columns {
  const [first] = values;
  if (isTensor(first)) return stackTensors(values, first, path, made);
  if (isNumberArray(first)) return joinArrays(values, first, path);
  if (Array.isArray(first)) return values as readonly unknown[];
  if (typeof first === 'number' || typeof first === 'boolean') {
    values.forEach((value, index) => {
      if (typeof value !== typeof first) throw unlike(path, index, `a ${typeof first}`);
    });
    return new FlatColumn(Float32Array.from(values as number[]), []) as never;
  }
  if (typeof first !== 'object' || first === null) {
    throw dataError(
      'BAD_DATA',
      `${path} of a sample is ${JSON.stringify(first) ?? typeof first}, expected a number, an array, a tensor or an object of these. Samples are { xs, ys?, weights? }; for anything else give a collate function.`,
    );
  }
  return Object.fromEntries(
    Object.keys(first).map((key) => {
      const column = values.map((value) => Object(value)[key] as SampleValues);
      return [key, stack(column, `${path}/${key}`, made)];
    }),
  ) as Columns;
}

function stackTensors(
  values: readonly unknown[],
  first: tf.Tensor,
  path: string,
  made: tf.Tensor[],
): tf.Tensor {
  values.forEach((value, index) => {
    if (!isTensor(value) || String(value.shape) !== String(first.shape)) {
      throw unlike(path, index, `a tensor of shape [${first.shape}]`);
    }
  });
  const stacked = tf.stack(values as tf.Tensor[]);
  made.push(stacked);
  return stacked;
}

function joinArrays(values: readonly unknown[], first: NumberArray, path: string): Columns {
  const width = first.length;
  const joined = new (first instanceof Int32Array ? Int32Array : Float32Array)(values.length * width);
  values.forEach((value, index) => {
    if (!isNumberArray(value) || value.length !== width) throw unlike(path, index, `${width} values`);
    joined.set(value, index * width);
  });
  return new FlatColumn(joined, [width]) as never;
}

function unlike(path: string, index: number, expected: string): Error {
  return dataError(
    'BAD_DATA',
    `The samples of a batch do not fit together: ${path} of sample ${index} should be ${expected}, like the first. Give samples of equal shape, or a collate function that pads them.`,
  );
}

/** The user's tensors are cloned, because a batch is disposed after use. */
function cloneShared({ xs, ys, weights }: Batch, users: ReadonlySet<tf.Tensor>): Batch {
  const own = (tensor: tf.Tensor) => (users.has(tensor) ? tf.clone(tensor) : tensor);
  return {
    xs: mapTree(xs, own),
    ...(ys && { ys: mapTree(ys, own) }),
    ...(weights && { weights: mapTree(weights, own) }),
  };
}
