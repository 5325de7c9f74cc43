import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, describe, expect, it } from 'vitest';
import { someOf } from '../../../testing/support/src/some-of.js';
import { enableTraining } from '../src/index.js';
import { numbers, on } from './backends.js';
import { distance } from './compare.js';

const { layers } = tfl;
type Layers = () => tfl.layers.Layer[];

beforeAll(async () => {
  await enableTraining();
});

/** Orthogonal, the default of recurrent layers, needs methods that only the union package has. */
const weights = { kernelInitializer: 'glorotUniform', recurrentInitializer: 'glorotUniform' } as const;

const CASES: readonly [string, number[], Layers][] = [
  ...(['linear', 'relu', 'sigmoid', 'tanh', 'elu', 'relu6', 'softmax', 'selu', 'softplus'] as const).map(
    (activation): [string, number[], Layers] => [
      `dense with ${activation}`,
      [5],
      () => [layers.dense({ units: 7, activation }), layers.dense({ units: 3 })],
    ],
  ),
  ['dense without bias', [5], () => [layers.dense({ units: 4, useBias: false, activation: 'relu' })]],
  [
    'dense on sequences',
    [4, 5],
    () => [layers.dense({ units: 6, activation: 'tanh' }), layers.dense({ units: 2 })],
  ],
  ...(['linear', 'relu', 'tanh', 'softplus'] as const).map((activation): [string, number[], Layers] => [
    `conv2d with ${activation}`,
    [8, 7, 3],
    () => [
      layers.conv2d({ filters: 5, kernelSize: 3, activation, padding: 'same' }),
      layers.conv2d({ filters: 4, kernelSize: [2, 3], strides: 2, useBias: false }),
    ],
  ]),
  [
    'conv2d with channels first',
    [3, 8, 7],
    () => [layers.conv2d({ filters: 5, kernelSize: 3, dataFormat: 'channelsFirst' })],
  ],
  ['conv1d', [9, 3], () => [layers.conv1d({ filters: 4, kernelSize: 3, activation: 'relu' })]],
  [
    'conv2dTranspose',
    [4, 4, 3],
    () => [layers.conv2dTranspose({ filters: 2, kernelSize: 3, strides: 2, padding: 'same' })],
  ],
  [
    'separableConv2d',
    [6, 6, 3],
    () => [
      layers.separableConv2d({
        filters: 4,
        kernelSize: 3,
        depthMultiplier: 2,
        depthwiseInitializer: 'glorotUniform',
        pointwiseInitializer: 'glorotUniform',
      }),
    ],
  ],
  [
    'batch normalisation',
    [6, 5, 3],
    () => [layers.conv2d({ filters: 6, kernelSize: 3, useBias: false }), layers.batchNormalization()],
  ],
  ['batch normalisation of rows', [5], () => [layers.batchNormalization({ momentum: 0.7, epsilon: 0.01 })]],
  ['layer normalisation', [4, 6], () => [layers.layerNormalization(), layers.dense({ units: 3 })]],
  ...([tfl.layers.lstm, tfl.layers.gru] as const).flatMap((make): [string, number[], Layers][] => [
    [`${make.name}`, [6, 5], () => [make({ units: 7, ...weights })]],
    [
      `${make.name} with sequences`,
      [6, 5],
      () => [make({ units: 4, returnSequences: true, ...weights }), make({ units: 3, ...weights })],
    ],
    [
      `${make.name} backwards`,
      [5, 3],
      () => [make({ units: 5, goBackwards: true, returnSequences: true, ...weights })],
    ],
    [
      `${make.name} with sigmoid`,
      [5, 3],
      () => [make({ units: 9, recurrentActivation: 'sigmoid', ...weights })],
    ],
    [`${make.name} without bias`, [5, 3], () => [make({ units: 2, useBias: false, ...weights })]],
    [
      `${make.name} in both directions`,
      [5, 3],
      () => [layers.bidirectional({ layer: make({ units: 3, ...weights }) as tfl.RNN, mergeMode: 'concat' })],
    ],
    [`${make.name} with relu`, [5, 3], () => [make({ units: 3, activation: 'relu', ...weights })]],
    [
      `${make.name} with a mask`,
      [5, 3],
      () => [layers.masking({ maskValue: 0 }), make({ units: 3, ...weights })],
    ],
  ]),
  [
    'an embedding, and its gradient',
    [4],
    () => [
      layers.reLU(),
      layers.embedding({ inputDim: 3, outputDim: 5 }),
      layers.flatten(),
      layers.dense({ units: 2 }),
    ],
  ],
  ['simple rnn', [5, 3], () => [layers.simpleRNN({ units: 4, ...weights })]],
];

/** Loss, gradients and moving averages of one training step from the same weights on either backend. */
function step(backend: 'cpu' | 'wasm', inputShape: number[], make: Layers, batch = 4) {
  return on(backend, () => {
    const [first, ...others] = make();
    const model = tfl.sequential({ layers: [layers.inputLayer({ inputShape }), first!, ...others] });
    const random = numbers(11);
    model.setWeights(
      model.getWeights().map((weight) =>
        tf.tensor(
          Array.from({ length: weight.size }, () => random() * 1.6 - 0.6),
          weight.shape,
        ),
      ),
    );
    const x = tf.tensor(
      Array.from({ length: batch * tf.util.sizeFromShape(inputShape) }, () => random() * 2 - 1),
      [batch, ...inputShape],
    );
    const { value, grads } = tf.variableGrads(() => {
      const y = model.apply(x, { training: true }) as tf.Tensor;
      const slopes = tf.tensor(
        Array.from({ length: y.size }, (_, i) => Math.cos(i)),
        y.shape,
      );
      return tf.sum(tf.mul(tf.sigmoid(y), slopes)) as tf.Scalar;
    });
    const names = model.trainableWeights.map((weight) => (weight.read() as tf.Variable).name);
    const result = [value, ...names.map((name) => grads[name]!), ...model.getWeights()].map((tensor) => [
      ...tensor.dataSync(),
    ]);
    model.dispose();
    return result;
  });
}

describe('layers that are computed in one operation', () => {
  it.each(someOf(CASES, 14))(
    '%s gives the loss, gradients and moving averages of cpu',
    async (_name, shape, make) => {
      const expected = await step('cpu', shape, make);
      const before = tf.memory().numTensors;
      const actual = await step('wasm', shape, make);
      expect(tf.memory().numTensors).toBe(before);
      expect(actual).toHaveLength(expected.length);
      for (const [i, values] of actual.entries()) expect(distance(values, expected[i]!)).toBeLessThan(2e-5);
    },
  );

  it('have gradients of gradients, which are computed step by step', async () => {
    const penalty = (backend: 'cpu' | 'wasm') =>
      on(backend, () => {
        const dense = layers.dense({ units: 3, activation: 'tanh', kernelInitializer: 'ones' });
        const x = tf.tensor2d([
          [0.1, 0.2],
          [0.3, -0.4],
        ]);
        dense.apply(x);
        const norm = () => {
          const slope = tf.grad((input) => tf.sum(dense.apply(input) as tf.Tensor))(x);
          return tf.sum(tf.square(slope)) as tf.Scalar;
        };
        const { grads } = tf.variableGrads(norm, [dense.trainableWeights[0]!.read() as tf.Variable]);
        return Object.values(grads).flatMap((gradient) => [...gradient.dataSync()]);
      });
    const [expected, actual] = [await penalty('cpu'), await penalty('wasm')];
    expect(distance(actual, expected)).toBeLessThan(1e-5);
  });

  const recurrent = CASES.filter(([name]) => /^(lstm|gru)/.test(name));
  it.each(recurrent)(
    '%s gives the same bits when its cells are watched, step by step',
    async (_name, shape, make) => {
      const { watched, calls } = watching(make);
      expect(await step('wasm', shape, watched)).toEqual(await step('wasm', shape, make));
      expect(calls()).toBeGreaterThanOrEqual(5);
    },
  );

  it.each([
    ['batch normalisation', 300, [7], () => [layers.batchNormalization()]],
    ['layer normalisation', 15, [5, 6], () => [layers.layerNormalization()]],
  ] as [string, number, number[], Layers][])(
    '%s of more rows than are summed at a time gives what cpu gives',
    async (_name, batch, shape, make) => {
      const [expected, actual] = [
        await step('cpu', shape, make, batch),
        await step('wasm', shape, make, batch),
      ];
      for (const [i, values] of actual.entries()) expect(distance(values, expected[i]!)).toBeLessThan(2e-5);
    },
  );

  // More sequences than are computed at a time, or than a product takes at once; more columns than a tile, and not whole ones.
  it.each([
    ['lstm', 30, 13],
    ['lstm', 270, 3],
    ['gru', 30, 13],
    ['gru', 270, 5],
  ] as const)(
    '%s of %i sequences and %i units gives what cpu gives, and the same bits when watched',
    async (kind, batch, units) => {
      const make = () => [layers[kind]({ units, recurrentActivation: 'sigmoid', ...weights })];
      const { watched } = watching(make);
      const [expected, actual] = [
        await step('cpu', [3, 14], make, batch),
        await step('wasm', [3, 14], make, batch),
      ];
      for (const [i, values] of actual.entries()) expect(distance(values, expected[i]!)).toBeLessThan(2e-5);
      expect(await step('wasm', [3, 14], watched, batch)).toEqual(actual);
    },
  );

  it('can be switched off, and are as tfjs has them after disable()', async () => {
    const call = () => (layers.dense({ units: 1, name: 'any' }) as unknown as { call: unknown }).call;
    const fused = call();
    await enableTraining({ layers: false });
    const stock = call();
    expect(stock).not.toBe(fused);
    await enableTraining({ layers: true });
    expect(call()).not.toBe(stock);
    (await enableTraining()).disable();
    expect(call()).toBe(stock);
    await enableTraining();
  });
});

/** The same layers with cells that somebody watches, which therefore are called step by step. */
function watching(make: Layers): { watched: Layers; calls: () => number } {
  let calls = 0;
  const watched = () =>
    make().map((layer) => {
      for (const rnn of rnnsIn(layer)) {
        const stock = rnn.cell.call;
        rnn.cell.call = function (...args) {
          calls++;
          return stock.apply(this, args);
        };
      }
      return layer;
    });
  return { watched, calls: () => calls };
}

interface Rnn {
  cell: { call(...args: unknown[]): unknown };
}

function rnnsIn(layer: object): Rnn[] {
  const { forwardLayer, backwardLayer } = layer as { forwardLayer?: Rnn; backwardLayer?: Rnn };
  if (forwardLayer && backwardLayer) return [forwardLayer, backwardLayer];
  return 'cell' in layer ? [layer as Rnn] : [];
}
