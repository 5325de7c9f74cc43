import type { Hook } from '@hookline/hook-api';
import { collectingLogger, type LogLine, TEST_BACKEND } from '@hookline/test-support';
import { type FitResult, Trainer, type TrainerOptions } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { chain } from './chain.js';

export interface WatchedRun {
  trainer: Trainer;
  result: FitResult;
  /** What the debug hook said. */
  said: LogLine[];
  /** What everybody said. */
  lines: LogLine[];
  /** Every weight at the end, by path. */
  weights: Record<string, number[]>;
}

export interface RunOptions extends Partial<TrainerOptions> {
  data: { xs: tf.TensorLike; ys?: tf.TensorLike };
  batchSize?: number;
  epochs?: number;
  fastDevRun?: boolean;
}

/** A real run on real tensors, with the batches in the order of the data. */
export async function watchedRun(
  hooks: Hook[],
  { data, batchSize = 1, epochs = 1, fastDevRun = false, ...options }: RunOptions,
): Promise<WatchedRun> {
  const lines: LogLine[] = [];
  const weights: Record<string, number[]> = {};
  const reader: Hook = {
    name: 'weight-reader',
    teardown({ state }) {
      for (const [path, weight] of Object.entries(state.parameters)) weights[path] = [...weight.dataSync()];
    },
  };
  const trainer = new Trainer({
    model: chain(),
    loss: 'meanSquaredError',
    optimizer: { name: 'sgd', lr: 0.01 },
    hooks: [reader, ...(hooks.includes(PRETEND_DEVICE) ? hooks.map(onDevice) : hooks)],
    discover: false,
    backend: TEST_BACKEND,
    runsDir: false,
    seed: 1,
    nonFiniteLoss: 'warn', // said aloud, lest the trainer refuse the bad data
    logger: collectingLogger(lines),
    ...options,
  } as TrainerOptions);
  const xs = tf.tensor(data.xs as number[]);
  const ys = data.ys === undefined ? undefined : tf.tensor(data.ys as number[]);
  try {
    const train = ys ? { xs, ys } : { xs };
    const result = await trainer.fit({ train, epochs, batchSize, shuffle: false, fastDevRun });
    return { trainer, result, weights, lines, said: lines.filter(({ fields }) => fields.hook === 'debug') };
  } finally {
    tf.dispose([xs, ys ?? []]);
  }
}

/** Makes the hooks of a watched run believe that tensors are on a separate device, where every read is a transfer. */
export const PRETEND_DEVICE: Hook = { name: 'pretend-device' };

/** The hook with a context whose state names another backend. */
function onDevice(hook: Hook): Hook {
  return {
    ...hook,
    setup: (ctx, event) => {
      const state = Object.create(ctx.state, { backend: { value: 'tensorflow' } });
      return hook.setup?.(Object.create(ctx, { state: { value: state } }), event);
    },
  };
}

/** How many times tensors are read while something runs. */
export async function countReads(run: () => Promise<unknown>): Promise<number> {
  const backend = tf.backend();
  const { read, readSync } = backend;
  let reads = 0;
  let inside = false;
  backend.read = (id) => {
    reads++;
    inside = true; // the cpu backend reads through readSync
    const pending = read.call(backend, id);
    inside = false;
    return pending;
  };
  backend.readSync = (id) => {
    if (!inside) reads++;
    return readSync.call(backend, id);
  };
  try {
    await run();
  } finally {
    Object.assign(backend, { read, readSync });
  }
  return reads;
}
