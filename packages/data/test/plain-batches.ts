import type { Batch, HooklineError } from '@hookline/hook-api';
import { errorOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect } from 'vitest';
import { type Data, type DataLoader, Feed, type LoaderDefaults, loadersOf, mixIn } from '../src/index.js';

/** A batch as plain numbers. */
export interface PlainBatch {
  xs: unknown;
  ys?: unknown;
  weights?: unknown;
}

/** The numbers of a batch. Its tensors are disposed. */
export function plain(batch: Batch): PlainBatch {
  const numbers = valuesOf(batch);
  tf.dispose(batch as never);
  return numbers;
}

/** The numbers of a batch. Its tensors stay. */
export function valuesOf({ xs, ys, weights }: Batch): PlainBatch {
  const values = (tree: unknown): unknown => {
    if (tree instanceof tf.Tensor) return tree.arraySync();
    if (Array.isArray(tree)) return tree.map(values);
    return Object.fromEntries(Object.entries(tree as object).map(([key, each]) => [key, values(each)]));
  };
  return {
    xs: values(xs),
    ...(ys !== undefined && { ys: values(ys) }),
    ...(weights !== undefined && { weights: values(weights) }),
  };
}

/** One epoch of a loader, or what is left of it. */
export async function epochOf(loader: DataLoader): Promise<PlainBatch[]> {
  const batches: PlainBatch[] = [];
  for await (const batch of loader) batches.push(plain(batch));
  return batches;
}

/** The numbers of the samples in the order they came, where `xs` is [[number], ...]. */
export async function numbersOf(loader: DataLoader): Promise<number[]> {
  return (await epochOf(loader)).flatMap(({ xs }) => (xs as number[][]).flat());
}

/** A feed as a training run makes it, in the order of the data and with values checked, unless told otherwise. */
export function feedOf(data: Data, options: Partial<LoaderDefaults> = {}): Feed {
  const { name = 'train', ...rest } = options;
  const defaults = { batchSize: 32, shuffle: false, seed: 1, shapes: undefined, checkData: true, ...rest };
  return new Feed(loadersOf(data, name, defaults), { mix: mixIn(data), seed: defaults.seed });
}

/** The batches of some epochs, used and disposed as a training run would. */
export async function readFeed(feed: Feed, epochs = 1): Promise<PlainBatch[]> {
  const batches: PlainBatch[] = [];
  for (let epoch = 0; epoch < epochs; epoch++) {
    for await (const { batch, owned } of feed.epoch(epoch)) {
      batches.push(owned ? plain(batch) : valuesOf(batch));
      feed.commit();
    }
    feed.commitEpoch();
  }
  return batches;
}

/** The error that reading two epochs ends with; whatever it is, no tensor may stay. */
export async function feedError(
  data: unknown,
  options: Partial<LoaderDefaults> = {},
): Promise<HooklineError> {
  const before = tf.memory().numTensors;
  const error = await errorOf(async () => readFeed(feedOf(data as Data, options), 2));
  expect(tf.memory().numTensors - before, 'tensors left behind').toBe(0);
  return error;
}

export function expectError(error: HooklineError, code: string, ...parts: string[]): void {
  expect(error.code, error.message).toBe(code);
  for (const part of parts) expect(error.message).toContain(part);
}
