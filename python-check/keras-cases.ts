// The models whose training keras-curves.py judges; there each has its twin, found by name.

import * as tf from '@tensorflow/tfjs-core';
import { type LayersModel, layers, sequential } from '@tensorflow/tfjs-layers';
import type { TrainableModule } from '../packages/hook-api/src/index.js';
import type { LossName, OptimizerSpec } from '../packages/trainer/src/index.js';

export interface Case {
  name: string;
  loss: LossName;
  optimizer: OptimizerSpec;
  model(): LayersModel | TrainableModule;
  /** Of one sample. */
  xs: number[];
  ys: number[];
  /** How many kinds of whole numbers the inputs are; absent for inputs that are not whole. */
  kinds?: number;
  /** Where it is trained; on wasm alone when absent. */
  backends?: readonly ('cpu' | 'wasm')[];
}

const kernelRegularizer = { className: 'L1L2', config: { l1: 0, l2: 0.01 } } as never;
const recurrent = { recurrentActivation: 'sigmoid', recurrentInitializer: 'glorotNormal' } as const;
const both = ['cpu', 'wasm'] as const;
// Keras adds epsilon before the bias correction, torch and we after it: so small that it does not matter.
const adam = { name: 'adam', lr: 0.01, epsilon: 1e-12 } as const;
// Keras takes the root of the sum, torch and we add epsilon to the root: again too small to matter.
const rmsprop = { name: 'rmsprop', lr: 0.005, rho: 0.9, epsilon: 1e-12 } as const;
const sgd = { name: 'sgd', lr: 0.05, momentum: 0.9 } as const;

export const CASES: readonly Case[] = [
  {
    name: 'regression, sgd with momentum',
    loss: 'meanSquaredError',
    optimizer: sgd,
    model: () => stack([4], layers.dense({ units: 8, activation: 'tanh' }), layers.dense({ units: 1 })),
    xs: [4],
    ys: [1],
    backends: both,
  },
  {
    name: 'classes, adam, batch normalisation and L2',
    loss: 'categoricalCrossentropy',
    optimizer: adam,
    model: () =>
      stack(
        [6],
        layers.dense({ units: 16, activation: 'relu', kernelRegularizer }),
        layers.batchNormalization(),
        layers.dense({ units: 3, activation: 'softmax' }),
      ),
    xs: [6],
    ys: [3],
    backends: both,
  },
  {
    name: 'sequence, rmsprop, LSTM',
    loss: 'meanSquaredError',
    optimizer: rmsprop,
    model: () =>
      stack(
        [7, 2],
        layers.lstm({ units: 5, recurrentInitializer: 'glorotNormal' }),
        layers.dense({ units: 1 }),
      ),
    xs: [7, 2],
    ys: [1],
    backends: both,
  },
  {
    name: 'MLP',
    loss: 'softmaxCrossentropy',
    optimizer: adam,
    model: () =>
      stack(
        [20],
        layers.dense({ units: 32, activation: 'relu' }),
        layers.dense({ units: 16, activation: 'elu' }),
        layers.dense({ units: 5 }),
      ),
    xs: [20],
    ys: [5],
  },
  {
    name: 'CNN with batch norm, linear before the pool',
    loss: 'categoricalCrossentropy',
    optimizer: sgd,
    model: () =>
      stack(
        [10, 10, 2],
        layers.conv2d({ filters: 6, kernelSize: 3, padding: 'same', useBias: false }),
        layers.batchNormalization(),
        layers.maxPooling2d({ poolSize: 2 }),
        layers.conv2d({ filters: 5, kernelSize: 3, strides: 2, activation: 'elu' }),
        layers.flatten(),
        layers.dense({ units: 3, activation: 'softmax' }),
      ),
    xs: [10, 10, 2],
    ys: [3],
  },
  {
    name: 'depthwise separable CNN',
    loss: 'meanSquaredError',
    optimizer: rmsprop,
    model: () =>
      stack(
        [8, 8, 3],
        layers.depthwiseConv2d({ kernelSize: 3, padding: 'same', depthMultiplier: 2 }),
        layers.conv2d({ filters: 7, kernelSize: 1, activation: 'relu6' }),
        layers.averagePooling2d({ poolSize: 2 }),
        layers.separableConv2d({ filters: 4, kernelSize: 3, activation: 'tanh' }),
        layers.flatten(),
        layers.dense({ units: 2 }),
      ),
    xs: [8, 8, 3],
    ys: [2],
  },
  {
    name: 'LSTM',
    loss: 'softmaxCrossentropy',
    optimizer: adam,
    model: () =>
      stack(
        [7, 5],
        layers.lstm({ units: 8, returnSequences: true, ...recurrent }),
        layers.lstm({ units: 6, ...recurrent }),
        layers.dense({ units: 3 }),
      ),
    xs: [7, 5],
    ys: [3],
  },
  {
    name: 'GRU',
    loss: 'meanSquaredError',
    optimizer: sgd,
    model: () => stack([7, 5], layers.gru({ units: 8, ...recurrent }), layers.dense({ units: 2 })),
    xs: [7, 5],
    ys: [2],
  },
  {
    name: 'embedding and dense',
    loss: 'sigmoidCrossentropy',
    optimizer: adam,
    model: () =>
      stack(
        [6],
        layers.embedding({ inputDim: 12, outputDim: 4 }),
        layers.flatten(),
        layers.dense({ units: 9, activation: 'relu' }),
        layers.dense({ units: 1 }),
      ),
    xs: [6],
    ys: [1],
    kinds: 12,
  },
  {
    name: 'transformer block',
    loss: 'softmaxCrossentropy',
    optimizer: adam,
    model: transformerBlock,
    xs: [5],
    ys: [3],
    kinds: 11,
  },
];

function stack(inputShape: number[], ...each: layers.Layer[]): LayersModel {
  return sequential({ layers: [layers.inputLayer({ inputShape }), ...each] });
}

/** Parameters in the order of the twin's layers. */
function transformerBlock(): TrainableModule {
  const [width, heads, inner] = [8, 2, 16];
  const variables: Record<string, tf.Variable> = {};
  let seed = 0;
  const weight = (path: string, ...shape: number[]) => {
    variables[path] = tf.variable(tf.randomNormal(shape, 0, shape[0]! ** -0.5, 'float32', ++seed));
    return variables[path]!;
  };
  const norm = (path: string) => {
    const layer = layers.layerNormalization();
    layer.build([null, 5, width]);
    const [gamma, beta] = layer.trainableWeights.map((each) => each.read() as tf.Variable);
    variables[`${path}/gamma`] = gamma!;
    variables[`${path}/beta`] = beta!;
    return (x: tf.Tensor) => layer.apply(x) as tf.Tensor;
  };
  const embedding = weight('embedding', 11, width);
  const normA = norm('a');
  const [q, k, v, o] = [
    weight('q', width, width),
    weight('k', width, width),
    weight('v', width, width),
    weight('o', width, width),
  ];
  const normB = norm('b');
  const [wide, narrow, head] = [
    weight('wide', width, inner),
    weight('narrow', inner, width),
    weight('head', width, 3),
  ];
  const times = (x: tf.Tensor, w: tf.Tensor): tf.Tensor => {
    const [batch, time] = x.shape as [number, number];
    return tf.reshape(tf.matMul(tf.reshape(x, [batch * time, -1]), w), [batch, time, -1]);
  };
  const split = (x: tf.Tensor): tf.Tensor =>
    tf.transpose(tf.reshape(x, [x.shape[0]!, x.shape[1]!, heads, width / heads]), [0, 2, 1, 3]);
  return {
    parameters: () => variables,
    forward: (xs) => {
      let h: tf.Tensor = tf.gather(embedding, tf.cast(xs as tf.Tensor, 'int32'));
      const a = normA(h);
      const scores = tf.matMul(split(times(a, q)), split(times(a, k)), false, true);
      const attention = tf.softmax(tf.div(scores, Math.sqrt(width / heads)));
      const mixed = tf.transpose(tf.matMul(attention, split(times(a, v))), [0, 2, 1, 3]);
      h = tf.add(h, times(tf.reshape(mixed, h.shape), o));
      h = tf.add(h, times(tf.relu(times(normB(h), wide)), narrow));
      return tf.mean(times(h, head), 1);
    },
  };
}
