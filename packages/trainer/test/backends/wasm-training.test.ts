import { afterEach, describe, expect, it } from 'vitest';
import { runIsolated } from './isolated.js';

afterEach(() => {
  delete process.env.HOOKLINE_WASM;
  delete process.env.HOOKLINE_WASM_THREADS;
});

/** Trains a small convolutional network for a few steps on wasm, in a fresh process. */
const TRAIN = `
  import * as tf from '@tensorflow/tfjs-core';
  import * as tfl from '@tensorflow/tfjs-layers';
  import { quietTrainer } from './test/support/quiet-trainer.ts';
  const { layers } = tfl;
  const model = () => tfl.sequential({ layers: [
    layers.conv2d({ filters: 4, kernelSize: 3, activation: 'relu', inputShape: [8, 8, 1] }),
    layers.maxPooling2d({ poolSize: 2 }),
    layers.flatten(),
    layers.dense({ units: 2, activation: 'softmax' }),
  ] });
  const trainer = quietTrainer({ model, loss: 'categoricalCrossentropy', backend: 'wasm', seed: 1 });
  const xs = tf.randomNormal([6, 8, 8, 1], 0, 1, 'float32', 2);
  const ys = tf.tensor2d([[1, 0], [0, 1], [1, 0], [0, 1], [1, 0], [0, 1]]);
  const outcome = await trainer.fit({ train: { xs, ys }, epochs: 9 }).then(
    ({ history }) => ({ losses: history.map((epoch) => epoch['train/loss']) }),
    (error) => ({ error: error.message }),
  );
  const { enableTraining } = await import('@hookline/backend-wasm');
  report({ ...outcome, threads: (await enableTraining()).threads });
`;

describe('backend wasm', () => {
  it('trains convolutions, for which tfjs alone has no kernels', async () => {
    const { value, output } = await runIsolated<{ losses?: number[]; error?: string }>(TRAIN);
    expect(value.losses, output).toHaveLength(9);
    expect(value.losses![8]).toBeLessThan(value.losses![0]!);
  });

  it('is as tfjs has it with HOOKLINE_WASM=stock', async () => {
    process.env.HOOKLINE_WASM = 'stock';
    const { value } = await runIsolated<{ losses?: number[]; error?: string }>(TRAIN);
    expect(value.error).toContain('Conv2DBackpropFilter');
  });

  it('computes with threads with HOOKLINE_WASM_THREADS, and the losses stay what they are', async () => {
    const one = await runIsolated<{ losses: number[]; threads: number }>(TRAIN);
    process.env.HOOKLINE_WASM_THREADS = '2';
    const two = await runIsolated<{ losses: number[]; threads: number }>(TRAIN);
    expect([one.value.threads, two.value.threads]).toEqual([1, 2]);
    expect(two.value.losses).toEqual(one.value.losses);
  });

  it('trains without threads, and says so, when HOOKLINE_WASM_THREADS cannot be', async () => {
    process.env.HOOKLINE_WASM_THREADS = 'many';
    const { value, output } = await runIsolated<{ losses: number[]; threads: number }>(TRAIN);
    expect(value.losses).toHaveLength(9);
    expect(value.threads).toBe(1);
    expect(output).toContain('HOOKLINE_WASM_THREADS has no effect');
  });
});
