import type { Hook } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { samples, tinyRun } from './tiny-run.js';

/** How often the device is read in each batch of a `tinyRun` of one epoch. */
export async function readsPerBatch(hooks: readonly Hook[], batches: number): Promise<number[]> {
  const counts = Array<number>(batches).fill(0);
  let batch = 0;
  const marker: Hook = {
    name: 'marker',
    onTrainBatchStart: (_ctx, { batchIndex }) => {
      batch = batchIndex;
    },
  };
  const { trainer } = tinyRun([marker, ...hooks]);
  await trainer.ready();
  const backend = tf.backend();
  const { read, readSync } = backend;
  backend.read = (id) => {
    counts[batch]!++;
    return read.call(backend, id);
  };
  backend.readSync = (id) => {
    counts[batch]!++;
    return readSync.call(backend, id);
  };
  try {
    await trainer.fit({ train: samples(2 * batches), epochs: 1, batchSize: 2 });
  } finally {
    Object.assign(backend, { read, readSync });
  }
  return counts;
}
