import { createHash } from 'node:crypto';
import { loadKernels } from '@hookline/kernels-native';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { someOf } from '../../../../testing/support/src/some-of.js';
import { attention, enableTraining } from '../../src/index.js';
import { on } from '../backends.js';
import { dense, functions, model, random, squares } from '../cases/step-makers.js';
import { runSteps, type Steps } from '../steps.js';

const { layers, initializers } = tfl;
const seeded = (seed: number) => initializers.glorotUniform({ seed });

/** Large enough that no kernel of them stays in the module for being small. */
const MODELS: Readonly<Record<string, () => Steps>> = {
  MLP: model({
    layers: () => [
      dense(120, { activation: 'relu', inputShape: [300] }),
      dense(50, { activation: 'tanh' }),
      dense(10),
    ],
    input: (step) => random([33, 300], step),
    loss: (outputs, step) => tf.losses.softmaxCrossEntropy(tf.softmax(random([33, 10], step)), outputs),
  }),
  'CNN with batch normalisation': model({
    layers: () => [
      layers.conv2d({ filters: 18, kernelSize: 3, inputShape: [14, 14, 3], kernelInitializer: seeded(1) }),
      layers.batchNormalization(),
      layers.activation({ activation: 'relu' }),
      layers.maxPooling2d({ poolSize: 2 }),
      layers.conv2d({
        filters: 20,
        kernelSize: 3,
        strides: 2,
        activation: 'elu',
        kernelInitializer: seeded(2),
      }),
      layers.flatten(),
      dense(5),
    ],
    input: (step) => random([9, 14, 14, 3], step),
  }),
  'depthwise CNN': model({
    layers: () => [
      layers.depthwiseConv2d({
        kernelSize: 3,
        padding: 'same',
        inputShape: [10, 10, 7],
        depthwiseInitializer: seeded(3),
      }),
      layers.conv2d({ filters: 24, kernelSize: 1, activation: 'relu6', kernelInitializer: seeded(4) }),
      layers.depthwiseConv2d({ kernelSize: 2, strides: 2, depthwiseInitializer: seeded(5) }),
      layers.flatten(),
      dense(5),
    ],
    input: (step) => random([9, 10, 10, 7], step),
  }),
  LSTM: model({
    layers: () => [
      layers.lstm({
        units: 37,
        inputShape: [9, 20],
        kernelInitializer: seeded(6),
        recurrentInitializer: seeded(7),
      }),
      dense(5),
    ],
    input: (step) => random([27, 9, 20], step),
  }),
  GRU: model({
    layers: () => [
      layers.gru({
        units: 33,
        recurrentActivation: 'sigmoid',
        inputShape: [9, 20],
        kernelInitializer: seeded(8),
        recurrentInitializer: seeded(9),
      }),
      dense(5),
    ],
    input: (step) => random([27, 9, 20], step),
  }),
  'transformer with attention': functions(
    [
      [40, 32],
      [32, 32],
      [32, 32],
      [32, 32],
      [32, 70],
      [70, 32],
    ],
    ([input, q, k, v, wide, narrow], step) => {
      const times = (x: tf.Tensor, w: tf.Tensor): tf.Tensor3D =>
        tf.reshape(tf.matMul(tf.reshape(x, [80, -1]), w), [2, 40, -1]);
      const x = tf.mul(tf.expandDims(input!, 0), random([2, 40, 1], step));
      const mixed = attention(times(x, q!), times(x, k!), times(x, v!), { heads: 4, causal: true });
      const h = tf.add(x, mixed);
      return squares(tf.add(h, times(tf.sigmoid(times(h, wide!)), narrow!)));
    },
  ),
};

const kernels = loadKernels();

describe.skipIf(!kernels)('training with native kernels', () => {
  const before = process.env.HOOKLINE_WASM_NATIVE;

  beforeAll(async () => {
    delete process.env.HOOKLINE_WASM_NATIVE;
    // First of all: memory that threads can share has to be there from the start.
    await enableTraining({ threads: 2 });
  });

  afterAll(async () => {
    process.env.HOOKLINE_WASM_NATIVE = before;
    (await enableTraining()).disable();
  });

  it.each(someOf(Object.keys(MODELS), 3))('%s: the weights have the same bits', async (name) => {
    const hashes = [];
    for (const options of [
      { native: false, threads: 1 },
      { native: true, threads: 1 },
      { native: true, threads: 2 },
    ]) {
      const { native } = await enableTraining(options);
      expect(native).toBe(options.native ? kernels!.instructions : undefined);
      hashes.push(await on('wasm', () => hashOf(runSteps(MODELS[name]!).numbers)));
    }
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).toBe(hashes[0]);
  });

  it('without FMA there are no native kernels: their bits would differ', async () => {
    const { native, whyNotNative } = await enableTraining({ fma: false, native: true });
    expect(native).toBeUndefined();
    expect(whyNotNative).toContain('one rounding');
  });

  it('HOOKLINE_WASM_NATIVE=0 switches them off', async () => {
    process.env.HOOKLINE_WASM_NATIVE = '0';
    const { native, whyNotNative, disable } = await enableTraining({ fma: true, native: true });
    expect(native).toBeUndefined();
    expect(whyNotNative).toContain('HOOKLINE_WASM_NATIVE');
    disable();
    delete process.env.HOOKLINE_WASM_NATIVE;
    expect((await enableTraining({ native: true })).native).toBe(kernels!.instructions);
  });
});

describe.skipIf(kernels)('without native kernels', () => {
  it('training is not compared', () => {
    console.log('training with native kernels is not tested: there is no binary here');
  });
});

function hashOf(all: number[][]): string {
  const hash = createHash('sha256');
  for (const each of all) hash.update(Float32Array.from(each));
  return hash.digest('hex');
}
