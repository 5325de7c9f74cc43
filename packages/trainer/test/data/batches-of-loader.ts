import type { Batch } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import type { DataLoader } from '../../src/index.js';

/** A batch as plain numbers, its tensors disposed. */
export interface PlainBatch {
  xs: unknown;
  ys?: unknown;
  weights?: unknown;
}

export function plain({ xs, ys, weights }: Batch): PlainBatch {
  const values = (tree: unknown): unknown => {
    if (tree instanceof tf.Tensor) {
      const numbers = tree.arraySync();
      tree.dispose();
      return numbers;
    }
    if (Array.isArray(tree)) return tree.map(values);
    return Object.fromEntries(Object.entries(tree as object).map(([key, each]) => [key, values(each)]));
  };
  return {
    xs: values(xs),
    ...(ys !== undefined && { ys: values(ys) }),
    ...(weights !== undefined && { weights: values(weights) }),
  };
}

/** One epoch, or what is left of it. */
export async function epochOf(loader: DataLoader): Promise<PlainBatch[]> {
  const batches: PlainBatch[] = [];
  for await (const batch of loader) batches.push(plain(batch));
  return batches;
}

/** The numbers of the samples in the order they came, where `xs` is [[number], ...]. */
export async function numbersOf(loader: DataLoader): Promise<number[]> {
  return (await epochOf(loader)).flatMap(({ xs }) => (xs as number[][]).flat());
}
