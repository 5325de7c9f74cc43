import type { Hook, HookLogger } from '@hookline/hook-api';
import { Trainer, type TrainerOptions } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';

export interface TinyRun {
  trainer: Trainer;
  /** Warnings and errors of the run. */
  complaints: string[];
  weights(): Promise<number[]>;
}

/** A small model that really learns. */
export function tinyRun(hooks: Hook[], options: Partial<TrainerOptions> = {}): TinyRun {
  const complaints: string[] = [];
  const trainer = new Trainer({
    model: () =>
      tfl.sequential({
        layers: [
          tfl.layers.dense({ inputShape: [2], units: 4, activation: 'tanh' }),
          tfl.layers.dense({ units: 1 }),
        ],
      }),
    loss: 'meanSquaredError',
    optimizer: { name: 'sgd', lr: 0.01 },
    hooks,
    discover: false,
    backend: 'cpu',
    runsDir: false,
    seed: 3,
    logger: complainingLogger(complaints),
    ...options,
  });
  const weights = async () => {
    const model = (await trainer.model()) as tfl.LayersModel;
    return model.getWeights().flatMap((weight) => [...weight.dataSync()]);
  };
  return { trainer, complaints, weights };
}

/** So many samples of a function that can be learned. */
export function samples(count: number): { xs: tf.Tensor; ys: tf.Tensor } {
  const xs = Array.from({ length: count }, (_, i) => [Math.sin(i), Math.cos(3 * i)] as const);
  return { xs: tf.tensor2d(xs.map((x) => [...x])), ys: tf.tensor2d(xs.map(([a, b]) => [a * 0.5 - b])) };
}

/** How often the device is read in each batch of a run. */
export async function readsPerBatch(hooks: Hook[], batches: number): Promise<number[]> {
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

function complainingLogger(complaints: string[]): HookLogger {
  const ignore = () => {};
  const complain = (fields: object | string, message?: string) => {
    complaints.push(typeof fields === 'string' ? fields : (message ?? ''));
  };
  const logger: HookLogger = {
    debug: ignore,
    info: ignore,
    warn: complain,
    error: complain,
    child: () => logger,
  };
  return logger;
}
