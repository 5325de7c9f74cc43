import type { TensorTree } from '@hookline/hook-api';
import type * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import type { NamedShape, SampleShapes } from '../model/trainable.js';
import { deriveSeed, RandomState } from '../random.js';
import { isTensor } from '../tensors.js';
import { type Column, type NumberArray, type Samples, samplesOf } from './columns.js';
import type { Loader } from './loader.js';

/** One column, several in the order of the model's inputs, or several by name. */
export type Columns = Column | readonly (tf.Tensor | NumberArray)[] | Readonly<Record<string, Column>>;

/** Data that is all there: inputs, targets and sample weights, row by row. */
export interface Table {
  xs: Columns;
  ys?: Columns;
  weights?: Column;
}

export interface TableLoaderOptions {
  name: string;
  batchSize: number;
  shuffle: boolean;
  seed: number;
  shapes: SampleShapes | undefined;
}

/** Batches cut from a table; shuffled anew each epoch when asked, the same way for the same seed and epoch. */
export function tableLoader(
  table: Table,
  { name, batchSize, shuffle, seed, shapes }: TableLoaderOptions,
): Loader {
  const xs = mapColumns(table.xs, 'xs', shapes?.inputs);
  const count = firstOf(xs).count;
  const ys = table.ys === undefined ? undefined : mapColumns(table.ys, 'ys', shapes?.outputs, count);
  const weights =
    table.weights === undefined ? undefined : samplesOf(table.weights, 'weights', undefined, count);
  checkCounts(name, count, { xs, ...(ys && { ys }), ...(weights && { weights }) });
  return {
    name,
    batches: Math.ceil(count / batchSize),
    owned: true,
    *epoch(epoch) {
      const order = shuffle ? permutation(count, deriveSeed(seed, epoch)) : undefined;
      for (let start = 0; start < count; start += batchSize) {
        const size = Math.min(batchSize, count - start);
        const pick = (samples: Samples) =>
          order ? samples.gather(order.subarray(start, start + size)) : samples.slice(start, size);
        yield {
          xs: mapTree(xs, pick),
          ...(ys && { ys: mapTree(ys, pick) }),
          ...(weights && { weights: pick(weights) }),
        };
      }
    },
  };
}

type Tree<Leaf> = Leaf | Leaf[] | Record<string, Leaf>;

function mapColumns(
  columns: Columns,
  name: string,
  expected: readonly NamedShape[] | undefined,
  count?: number,
): Tree<Samples> {
  if (isColumn(columns)) return samplesOf(columns, name, expected?.[0], count);
  if (Array.isArray(columns)) {
    return columns.map((column, index) => samplesOf(column, `${name}[${index}]`, expected?.[index], count));
  }
  return Object.fromEntries(
    Object.entries(columns).map(([key, column]) => [
      key,
      samplesOf(
        column,
        `${name}.${key}`,
        expected?.find((shape) => shape.name === key),
        count,
      ),
    ]),
  );
}

/** A list of tensors or typed arrays is several columns; a list of numbers or lists is one. */
function isColumn(columns: Columns): columns is Column {
  if (isTensor(columns) || ArrayBuffer.isView(columns)) return true;
  if (!Array.isArray(columns)) return false;
  const [first] = columns;
  return !(isTensor(first) || ArrayBuffer.isView(first));
}

function mapTree(tree: Tree<Samples>, pick: (samples: Samples) => tf.Tensor): TensorTree {
  if (isSamples(tree)) return pick(tree);
  if (Array.isArray(tree)) return tree.map(pick);
  return Object.fromEntries(Object.entries(tree).map(([key, samples]) => [key, pick(samples)]));
}

function firstOf(tree: Tree<Samples>): Samples {
  const first = isSamples(tree) ? tree : Object.values(tree)[0];
  if (first) return first;
  throw trainerError('BAD_DATA', 'xs is empty: give at least one column.');
}

function isSamples(tree: Tree<Samples>): tree is Samples {
  return typeof (tree as Samples).gather === 'function';
}

function checkCounts(loader: string, count: number, trees: Record<string, Tree<Samples>>): void {
  if (count === 0) {
    throw trainerError('BAD_DATA', `The data of loader "${loader}" is empty: xs has 0 samples.`);
  }
  for (const [name, tree] of Object.entries(trees)) {
    for (const [key, samples] of isSamples(tree) ? [['', tree] as const] : Object.entries(tree)) {
      if (samples.count === count) continue;
      throw trainerError(
        'BAD_DATA',
        `The data of loader "${loader}" does not fit together: xs has ${count} samples, ${name}${key && `.${key}`} has ${samples.count}.`,
      );
    }
  }
}

/** Fisher and Yates. */
function permutation(count: number, seed: number): Int32Array {
  const random = new RandomState(seed);
  const order = Int32Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(random.next() * (last + 1));
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}
