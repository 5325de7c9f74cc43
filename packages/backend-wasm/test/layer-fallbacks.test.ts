import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, describe, expect, it } from 'vitest';
import { enableTraining } from '../src/index.js';
import { on } from './backends.js';
import { random } from './cases/step-makers.js';
import { distance } from './compare.js';

const { layers } = tfl;

beforeAll(async () => {
  await enableTraining();
});

const seeded = (seed: number) => tfl.initializers.glorotUniform({ seed });
const cell = { units: 3, kernelInitializer: seeded(1), recurrentInitializer: seeded(2) };

type Make = () => tfl.layers.Layer;

/** Whether a layer is computed in one kernel, by the names of the kernels that run. */
async function kernelsOf(make: Make, shape: number[], kwargs: object = {}): Promise<string[]> {
  await tf.setBackend('wasm');
  const layer = make();
  const x = random(shape);
  layer.apply(x);
  const { kernelNames } = await tf.profile(() => {
    tf.tidy(() => void layer.apply(x, kwargs as never));
  });
  x.dispose();
  layer.dispose();
  return kernelNames;
}

const FUSED: readonly [string, string, number[], Make, object?][] = [
  ['dense', '_FusedMatMul', [2, 3], () => layers.dense({ units: 4, activation: 'relu' })],
  ['dense on sequences', '_FusedMatMul', [2, 5, 3], () => layers.dense({ units: 4 })],
  ['conv2d', 'FusedConv2D', [1, 5, 5, 2], () => layers.conv2d({ filters: 2, kernelSize: 3 })],
  [
    'batch normalisation in training',
    'HooklineBatchNorm',
    [4, 3],
    () => layers.batchNormalization(),
    { training: true },
  ],
  ['layer normalisation', 'HooklineLayerNorm', [4, 3], () => layers.layerNormalization()],
  ['lstm', 'HooklineLstm', [2, 4, 3], () => layers.lstm({ ...cell })],
  ['gru', 'HooklineGru', [2, 4, 3], () => layers.gru({ ...cell })],
  ['lstm backwards', 'HooklineLstm', [2, 4, 3], () => layers.lstm({ ...cell, goBackwards: true })],
  ['gru with all states', 'HooklineGru', [2, 4, 3], () => layers.gru({ ...cell, returnSequences: true })],
];

const NOT_FUSED: readonly [string, string, number[], Make, object?][] = [
  ['batch normalisation outside of training', 'HooklineBatchNorm', [4, 3], () => layers.batchNormalization()],
  [
    'batch normalisation over another axis',
    'HooklineBatchNorm',
    [4, 3, 5],
    () => layers.batchNormalization({ axis: 1 }),
    { training: true },
  ],
  [
    'layer normalisation over another axis',
    'HooklineLayerNorm',
    [4, 3, 5],
    () => layers.layerNormalization({ axis: 1 }),
  ],
  [
    'lstm with another activation',
    'HooklineLstm',
    [2, 4, 3],
    () => layers.lstm({ ...cell, activation: 'relu' }),
  ],
  [
    'gru with another recurrent activation',
    'HooklineGru',
    [2, 4, 3],
    () => layers.gru({ ...cell, recurrentActivation: 'tanh' }),
  ],
  ['lstm with dropout', 'HooklineLstm', [2, 4, 3], () => layers.lstm({ ...cell, dropout: 0.5 })],
  [
    'gru with recurrent dropout',
    'HooklineGru',
    [2, 4, 3],
    () => layers.gru({ ...cell, recurrentDropout: 0.5 }),
  ],
  [
    'lstm that returns its state',
    'HooklineLstm',
    [2, 4, 3],
    () => layers.lstm({ ...cell, returnState: true }),
  ],
];

describe('layers of tfjs-layers', () => {
  it.each(FUSED)('%s is computed by %s', async (_name, kernel, shape, make, kwargs) => {
    expect(await kernelsOf(make, shape, kwargs)).toContain(kernel);
  });

  it.each(NOT_FUSED)('%s is not computed by %s', async (_name, kernel, shape, make, kwargs) => {
    expect(await kernelsOf(make, shape, kwargs)).not.toContain(kernel);
  });

  // Dropout is random, and the gradient of a batch normalisation over another axis fails in tfjs itself.
  it.each([...FUSED, ...NOT_FUSED].filter(([name]) => !/dropout|state$|^batch.*another/.test(name)))(
    '%s gives the outputs and gradients of cpu',
    async (_name, _kernel, shape, make, kwargs) => {
      const run = (backend: 'cpu' | 'wasm') =>
        on(backend, () => {
          const layer = make();
          const x = random(shape);
          layer.apply(x);
          // The same weights on both: initialisers without a seed draw others.
          layer.setWeights(layer.getWeights().map((weight, i) => random(weight.shape, i + 1, 0.1, 1)));
          const apply = (at: tf.Tensor) => layer.apply(at, kwargs as never) as tf.Tensor;
          const result = [apply(x), tf.grad((at) => tf.sum(tf.square(apply(at))))(x)];
          const values = result.map((tensor) => [...tensor.dataSync()]);
          layer.dispose();
          return values;
        });
      const [expected, actual] = [await run('cpu'), await run('wasm')];
      for (const [i, values] of expected.entries()) expect(distance(actual[i]!, values)).toBeLessThan(1e-4);
    },
  );

  it('a subclass that somebody wrote keeps its own call', async () => {
    class Doubling extends (layers.dense({ units: 1 }).constructor as new (
      args: object,
    ) => tfl.layers.Layer) {
      static className = 'Doubling';
      override call(inputs: tf.Tensor | tf.Tensor[], kwargs: never) {
        return tf.mul(super.call(inputs, kwargs) as tf.Tensor, 2);
      }
    }
    const values = await on('wasm', () => {
      const layer = new Doubling({ units: 1, kernelInitializer: 'ones', useBias: false });
      return [...(layer.apply(tf.tensor2d([[1, 2]])) as tf.Tensor).dataSync()];
    });
    expect(values).toEqual([6]);
  });

  it('call the call hooks that are set on a layer', async () => {
    await on('wasm', () => {
      const layer = layers.dense({ units: 1 });
      const seen: number[][] = [];
      (layer as unknown as { setCallHook(hook: (x: tf.Tensor) => void): void }).setCallHook((x) => {
        seen.push((Array.isArray(x) ? x[0] : x).shape);
      });
      layer.apply(tf.ones([2, 3]));
      expect(seen).toEqual([[2, 3]]);
    });
  });
});
