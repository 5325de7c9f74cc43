import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Hook, sample } from '@hookline/hook-api';
import { regression } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import type { TrainerOptions } from '../src/index.js';
import { quietTrainer } from '../test/support/quiet-trainer.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Moving averages, dropout with a seed, and a layer that learns. */
function model(): tfl.Sequential {
  return tfl.sequential({
    layers: [
      tfl.layers.dense({ name: 'hidden', units: 4, inputShape: [3], activation: 'tanh' }),
      tfl.layers.batchNormalization({}),
      tfl.layers.dropout({ rate: 0.2, seed: 1 }),
      tfl.layers.dense({ name: 'out', units: 1 }),
    ],
  });
}

/** Looks at everything, changes some of it, and takes a snapshot now and then, in the middle of a step too. */
const busy: Hook = {
  name: 'busy',
  onForward: () => {},
  transformBatch: (_ctx, { batch }) => ({ ...batch, xs: tf.mul(batch.xs as tf.Tensor, 1.01) }),
  transformGradients: (_ctx, { gradients }) => ({
    'out/bias': tf.mul(gradients['out/bias']!, 0.5),
  }),
  onAfterBackward: sample(0.01, async (ctx) => void (await ctx.snapshot())),
  onTrainBatchEnd: (ctx, { loss }) => ctx.log({ 'busy/loss': loss ?? 0 }),
};

const variants: [string, Partial<TrainerOptions>][] = [
  ['without hooks, on cpu', {}],
  ['without hooks, on wasm', { backend: 'wasm' }],
  [
    'with everything, on wasm',
    {
      backend: 'wasm',
      accumulate: 2,
      clip: { globalNorm: 1 },
      ema: { decay: 0.9 },
      nonFiniteLoss: 'skip',
      hooks: [busy],
    },
  ],
];

test.each(variants)(
  '5,000 steps leave no tensor, no byte on the device and no heap behind: %s',
  async (_name, options) => {
    const trainer = quietTrainer({ model, metrics: ['meanAbsoluteError'], ...options });
    const seen: { tensors: number; bytes: number; buffers: number; heap: number }[] = [];
    const data = regression(40);
    trainer.addHook({
      name: 'count',
      onEpochStart: (ctx) => {
        if (ctx.state.epoch % 100 !== 0) return;
        collect();
        const { numTensors: tensors, numBytes: bytes, numDataBuffers: buffers } = tf.memory();
        seen.push({ tensors, bytes, buffers, heap: process.memoryUsage().heapUsed });
      },
    });
    // 5 steps an epoch.
    const accumulate = (options.accumulate as number | undefined) ?? 1;
    await trainer.fit({
      train: data,
      validation: data,
      epochs: 1001,
      batchSize: 8 / accumulate,
      validateEvery: { epochs: 10 },
    });
    const [, first, ...rest] = seen; // by the second look, everything that is made once is there
    expect(rest).toHaveLength(9);
    for (const { tensors, bytes, buffers } of rest) {
      expect([tensors, bytes, buffers]).toEqual([first!.tensors, first!.bytes, first!.buffers]);
    }
    // Code that is compiled late moves the heap by a megabyte; a kept object a step would be more than this.
    expect(rest.at(-1)!.heap - first!.heap).toBeLessThan(3 * 2 ** 20);
  },
);
