import type { Batch, TensorTree } from '@hookline/hook-api';
import { isTensor } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { dataError } from '../errors.js';
import { type Column, FlatColumn, type Samples, samplesOf } from './columns.js';
import { isNumberArray, type NumberArray } from './number-array.js';
import type { NamedShape, SampleShape, ShapeHints } from './shapes.js';

/**
 * One column, several in the order of the model's inputs, or several by name. Names within names become paths:
 * `{ eyes: { left, right } }` are the columns `eyes/left` and `eyes/right`.
 */
export type Columns = Column | readonly (tf.Tensor | NumberArray)[] | ColumnsByName;

export interface ColumnsByName {
  readonly [name: string]: Column | ColumnsByName;
}

/** Data in memory: inputs, targets and sample weights, row by row. */
export interface Table {
  xs: Columns;
  ys?: Columns | undefined;
  /** One for each sample, or for each of its steps; several are for the outputs, as `ys` are. */
  weights?: Columns | undefined;
}

/** A table whose rows can be read by number. */
export interface Rows {
  readonly count: number;
  /** Every column with its path. */
  readonly columns: readonly (readonly [path: string, samples: Samples])[];
  /** A batch of consecutive rows; its tensors belong to the caller. */
  slice(start: number, size: number): Batch;
  /** A batch of the rows with these numbers; its tensors belong to the caller. */
  gather(indices: Int32Array): Batch;
}

export function rowsOf(table: Table, loader: string, hints: ShapeHints): Rows {
  const xs = treeOf(table.xs, 'xs', hints, hints.model?.inputs);
  const first = entriesOf(xs, 'xs')[0];
  if (!first) throw dataError('BAD_DATA', `xs of loader "${loader}" is empty: give at least one column.`);
  const { count } = first[1];
  const ys = table.ys === undefined ? undefined : treeOf(table.ys, 'ys', hints, hints.model?.outputs, count);
  const weights =
    table.weights === undefined ? undefined : treeOf(table.weights, 'weights', hints, undefined, count);
  const columns = [
    ...entriesOf(xs, 'xs'),
    ...(ys ? entriesOf(ys, 'ys') : []),
    ...(weights ? entriesOf(weights, 'weights') : []),
  ];
  checkCounts(loader, columns);
  const pickAll = (pick: (samples: Samples) => tf.Tensor): Batch => {
    const made: tf.Tensor[] = [];
    const keep = (samples: Samples) => {
      const tensor = pick(samples);
      made.push(tensor);
      return tensor;
    };
    try {
      return {
        xs: mapTree(xs, keep),
        ...(ys && { ys: mapTree(ys, keep) }),
        ...(weights && { weights: mapTree(weights, keep) }),
      };
    } catch (error) {
      tf.dispose(made);
      throw error;
    }
  };
  return {
    count,
    columns,
    slice: (start, size) => pickAll((samples) => samples.slice(start, size)),
    gather: (indices) => pickAll((samples) => samples.gather(indices)),
  };
}

/**
 * Some of the rows, read where they are. The columns stay whole: whoever checks them names a sample by the number that
 * the user knows.
 */
export function partOfRows({ columns, gather }: Rows, numbers: Int32Array): Rows {
  return {
    count: numbers.length,
    columns,
    slice: (start, size) => gather(numbers.subarray(start, start + size)),
    gather: (indices) => gather(indices.map((index) => numbers[index]!)),
  };
}

/** All rows in one batch. */
export function wholeOf(rows: Rows): Batch {
  return rows.slice(0, rows.count);
}

type Tree<Leaf> = Leaf | Leaf[] | Record<string, Leaf>;

function treeOf(
  columns: Columns,
  path: string,
  { columns: given }: ShapeHints,
  expected: readonly NamedShape[] | undefined,
  count?: number,
): Tree<Samples> {
  const open = (column: Column, at: string, shape: SampleShape | undefined) =>
    samplesOf(column, at, given?.[at] ?? shape, count);
  if (isColumn(columns)) return open(columns, path, expected?.[0]?.shape);
  if (Array.isArray(columns)) {
    return columns.map((column, index) => open(column, `${path}/${index}`, expected?.[index]?.shape));
  }
  return Object.fromEntries(
    flatten(columns as ColumnsByName, path).map(([name, column]) => {
      const shape = expected?.find((each) => each.name === name)?.shape;
      return [name, open(column, `${path}/${name}`, shape)];
    }),
  );
}

/** Columns by path, however deep they are. */
function flatten(columns: ColumnsByName, where: string, prefix = ''): [path: string, column: Column][] {
  if (typeof columns !== 'object' || columns === null) {
    throw dataError(
      'BAD_DATA',
      `${where} must be a tensor, a typed array, nested arrays of numbers, or an object of these by name.`,
    );
  }
  return Object.entries(columns).flatMap(([name, column]) => {
    const path = prefix + name;
    const isNested = typeof column === 'object' && column !== null && !isColumn(column as Columns);
    return isNested ? flatten(column as ColumnsByName, where, `${path}/`) : [[path, column as Column]];
  });
}

/** A list of tensors or typed arrays is several columns; a list of numbers or lists is one. */
function isColumn(columns: Columns): columns is Column {
  if (isTensor(columns) || ArrayBuffer.isView(columns) || columns instanceof FlatColumn) return true;
  if (!Array.isArray(columns)) return false;
  const [first] = columns;
  return !(isTensor(first) || isNumberArray(first));
}

function mapTree(tree: Tree<Samples>, pick: (samples: Samples) => tf.Tensor): TensorTree {
  if (isSamples(tree)) return pick(tree);
  if (Array.isArray(tree)) return tree.map(pick);
  return Object.fromEntries(Object.entries(tree).map(([key, samples]) => [key, pick(samples)]));
}

function entriesOf(tree: Tree<Samples>, path: string): [path: string, samples: Samples][] {
  if (isSamples(tree)) return [[path, tree]];
  return Object.entries(tree).map(([key, samples]) => [`${path}/${key}`, samples]);
}

function isSamples(tree: Tree<Samples>): tree is Samples {
  return typeof (tree as Samples).gather === 'function';
}

function checkCounts(loader: string, columns: Rows['columns']): void {
  const [first, ...others] = columns;
  const [path, { count }] = first!;
  if (count === 0) {
    throw dataError('BAD_DATA', `The data of loader "${loader}" is empty: ${path} has 0 samples.`);
  }
  for (const [other, samples] of others) {
    if (samples.count === count) continue;
    throw dataError(
      'BAD_DATA',
      `The data of loader "${loader}" does not fit together: ${path} has ${count} samples, ${other} has ${samples.count}. Give the same number of samples in every column.`,
    );
  }
}
