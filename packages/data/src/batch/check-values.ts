import type { Batch, HooklineError, TensorTree } from '@hookline/hook-api';
import { isTensor, nearValues } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { dataError } from '../errors.js';
import { isOwned, type Loader } from '../loaders/loader.js';
import type { NumberArray } from '../table/number-array.js';
import type { NamedShape } from '../table/shapes.js';
import { classRange, firstOutside, LABELS_FIX } from './class-numbers.js';
import { tensorsIn } from './tensors-in.js';

/** Values that can be checked. */
export interface Checked {
  /** `xs`, `ys/animal`, `weights`. */
  path: string;
  samples: number;
  /** The values, if they are in this process's memory. */
  hostValues(): NumberArray | undefined;
  /** The values, read from the device where that is needed. */
  values(): NumberArray | Promise<NumberArray>;
}

export interface CheckOptions {
  /** Whether values on a device are read for the check. */
  read: boolean;
  /** The model's outputs, for targets that are class numbers. */
  outputs: readonly NamedShape[] | undefined;
}

/** Throws where a number is not finite, or not a class of its output. A promise only where something is read. */
export function checkValues(
  columns: readonly Checked[],
  where: string,
  { read, outputs = [] }: CheckOptions,
): void | Promise<void> {
  const awaited: Promise<void>[] = [];
  for (const column of columns) {
    const values = column.hostValues() ?? (read ? column.values() : undefined);
    const check = (known: NumberArray) => checkColumn(column, known, where, outputOf(column.path, outputs));
    if (values instanceof Promise) awaited.push(values.then(check));
    else if (values) check(values);
  }
  if (awaited.length > 0) return Promise.all(awaited).then(() => {});
}

/** The same loader, but the batches of the first requested epoch are checked. */
export function checkedLoader(loader: Loader, options: CheckOptions): Loader {
  let first: number | undefined;
  return {
    ...loader,
    epoch: (epoch, start = 0) => {
      const batches = loader.epoch(epoch, start);
      first ??= epoch;
      if (epoch !== first) return batches;
      const isSync = !(Symbol.asyncIterator in batches) && !options.read;
      return isSync
        ? checkEach(loader, batches as Iterable<Batch>, start)
        : checkAwaited(loader, batches, start, options);
    },
  };
}

/** As synchronous as its source, so that nothing is awaited and nothing read ahead. */
function* checkEach(loader: Loader, batches: Iterable<Batch>, start: number): Generator<Batch, void> {
  let index = start;
  for (const batch of batches) {
    if (!isFiniteBatch(batch)) refuse(batch, loader, index);
    index++;
    yield batch;
  }
}

async function* checkAwaited(
  loader: Loader,
  batches: Iterable<Batch> | AsyncIterable<Batch>,
  start: number,
  options: CheckOptions,
): AsyncGenerator<Batch, void> {
  let index = start;
  for await (const batch of batches) {
    if (!isFiniteBatch(batch)) refuse(batch, loader, index);
    try {
      if (options.read) await checkValues(columnsOf(batch), placeOf(loader, index), options);
    } catch (error) {
      throw refused(loader, batch, error);
    }
    index++;
    yield batch;
  }
}

/** Labels are checked where the batch is used, because a hook may have replaced it by then. */
function isFiniteBatch({ xs, ys, weights }: Batch): boolean {
  return isFiniteTree(xs) && isFiniteTree(ys) && isFiniteTree(weights);
}

/** Runs for every batch, so it builds no message. Values on a device and disposed tensors are skipped. */
function isFiniteTree(tree: TensorTree | undefined): boolean {
  if (tree === undefined) return true;
  if (!isTensor(tree)) return Object.values<tf.Tensor>(tree as Record<string, tf.Tensor>).every(isFiniteTree);
  const values = tree.isDisposed ? undefined : nearValues(tree);
  return values === undefined || allFinite(values);
}

/** Throws an error that says which value of the batch is not finite. */
function refuse(batch: Batch, loader: Loader, index: number): void {
  try {
    checkValues(columnsOf(batch), placeOf(loader, index), { read: false, outputs: undefined });
  } catch (error) {
    throw refused(loader, batch, error);
  }
}

function refused(loader: Loader, batch: Batch, error: unknown): unknown {
  if (isOwned(loader, batch)) tf.dispose(tensorsIn(batch));
  return error;
}

function placeOf({ name }: Loader, index: number): string {
  return `Batch ${index + 1} of loader "${name}"`;
}

function columnsOf({ xs, ys, weights }: Batch): Checked[] {
  const columns: Checked[] = [];
  addColumns(columns, 'xs', xs);
  if (ys) addColumns(columns, 'ys', ys);
  if (weights) addColumns(columns, 'weights', weights);
  return columns;
}

/** Disposed tensors are reported where the batch is used. */
function addColumns(columns: Checked[], path: string, tree: TensorTree): void {
  if (!isTensor(tree)) {
    for (const name of Object.keys(tree)) {
      addColumns(columns, `${path}/${name}`, (tree as Record<string, tf.Tensor>)[name]!);
    }
  } else if (!tree.isDisposed) {
    columns.push({
      path,
      samples: tree.shape[0] ?? 1,
      hostValues: () => nearValues(tree),
      values: () => tree.data(),
    });
  }
}

/** The output that a column is for. */
function outputOf(path: string, outputs: readonly NamedShape[]): NamedShape | undefined {
  if (path === 'ys') return outputs.length === 1 ? outputs[0] : undefined;
  if (!path.startsWith('ys/')) return undefined;
  const key = path.slice('ys/'.length);
  return outputs.find(({ name }) => name === key) ?? outputs[Number(key)];
}

function checkColumn(
  { path, samples }: Checked,
  values: NumberArray,
  where: string,
  { classes, ignoreLabel }: Partial<NamedShape> = {},
): void {
  const place = (index: number) => {
    const width = values.length / samples;
    return `in sample ${Math.floor(index / width)}${width > 1 ? `, value ${index % width}` : ''}`;
  };
  const outside = classes === undefined ? -1 : firstOutside(values, classes, ignoreLabel);
  if (classes !== undefined && outside >= 0) {
    throw badData(
      `${where} has a label that is not a class: ${path} has ${values[outside]} ${place(outside)}, expected ${classRange(classes)}. ${LABELS_FIX}`,
    );
  }
  if (allFinite(values)) return;
  const bad = [...values.keys()].filter((index) => !Number.isFinite(values[index]));
  throw badData(
    `${where} has values that are not finite: ${path} has ${bad.length}, the first (${values[bad[0]!]}) ${place(bad[0]!)}. Clean or fill them; new DataLoader(data, { checkData: false }) trains with them anyway.`,
  );
}

/**
 * One pass without a branch: a number times zero is zero, unless the number is not finite. Four sums at a time, because
 * an addition waits for the one before it.
 */
function allFinite(values: NumberArray): boolean {
  if (!(values instanceof Float32Array || values instanceof Float64Array)) return true;
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = values.length - (values.length % 4);
  for (let index = 0; index < whole; index += 4) {
    a += values[index]! * 0;
    b += values[index + 1]! * 0;
    c += values[index + 2]! * 0;
    d += values[index + 3]! * 0;
  }
  for (let index = whole; index < values.length; index++) a += values[index]! * 0;
  return a + b + c + d === 0;
}

function badData(message: string): HooklineError {
  return dataError('BAD_DATA', message);
}
