// Small models trained for 100 steps: their first weights, their batches, and the loss of every step.
import * as tf from '@tensorflow/tfjs-core';
import { type LayersModel, layers, sequential } from '@tensorflow/tfjs-layers';
import { type LossName, type OptimizerSpec, Trainer } from '../packages/trainer/src/index.js';

interface Case {
  name: string;
  loss: LossName;
  optimizer: OptimizerSpec;
  model(): LayersModel;
  xs: number[];
  ys: number[];
}

const kernelRegularizer = { className: 'L1L2', config: { l1: 0, l2: 0.01 } } as never;

const CASES: readonly Case[] = [
  {
    name: 'regression, sgd with momentum',
    loss: 'meanSquaredError',
    optimizer: { name: 'sgd', lr: 0.05, momentum: 0.9 },
    model: () =>
      sequential({
        layers: [
          layers.dense({ name: 'a', units: 8, activation: 'tanh', inputShape: [4] }),
          layers.dense({ name: 'b', units: 1 }),
        ],
      }),
    xs: [4],
    ys: [1],
  },
  {
    name: 'classes, adam, batch normalisation and L2',
    loss: 'categoricalCrossentropy',
    // Keras adds epsilon before the bias correction, torch and we after it: so small that it does not matter.
    optimizer: { name: 'adam', lr: 0.01, epsilon: 1e-12 },
    model: () =>
      sequential({
        layers: [
          layers.dense({ name: 'a', units: 16, activation: 'relu', inputShape: [6], kernelRegularizer }),
          layers.batchNormalization({ name: 'n' }),
          layers.dense({ name: 'b', units: 3, activation: 'softmax' }),
        ],
      }),
    xs: [6],
    ys: [3],
  },
  {
    name: 'sequence, rmsprop, LSTM',
    loss: 'meanSquaredError',
    // Keras takes the root of the sum, torch and we add epsilon to the root: again too small to matter.
    optimizer: { name: 'rmsprop', lr: 0.005, rho: 0.9, epsilon: 1e-12 },
    model: () =>
      sequential({
        layers: [
          layers.lstm({ name: 'a', units: 5, inputShape: [7, 2], recurrentInitializer: 'glorotNormal' }),
          layers.dense({ name: 'b', units: 1 }),
        ],
      }),
    xs: [7, 2],
    ys: [1],
  },
];

const STEPS = 100;
const BATCH = 8;

async function curve({ name, loss, optimizer, model: make, xs, ys }: Case, seed: number) {
  const batches = Array.from({ length: STEPS }, (_, step) => ({
    xs: tf.randomNormal([BATCH, ...xs], 0, 1, 'float32', seed + step),
    ys: targets([BATCH, ...ys], loss, seed + step),
  }));
  const losses: number[] = [];
  const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
  const trainer = new Trainer({
    ...{
      model: make,
      loss,
      optimizer,
      seed,
      logger: silent,
      backend: 'cpu',
      discover: false,
      runsDir: false,
    },
    hooks: [{ name: 'losses', onTrainBatchEnd: (_ctx, event) => void losses.push(event.loss ?? Number.NaN) }],
  });
  const model = (await trainer.model()) as LayersModel;
  const weights = model.layers.map((layer) => layer.getWeights().map(plain));
  const data = batches.map((batch) => ({ xs: plain(batch.xs), ys: plain(batch.ys) }));
  await trainer.fit({ train: batches, epochs: 1 });
  return { name, loss, optimizer, weights, batches: data, losses };
}

function targets(shape: number[], loss: LossName, seed: number): tf.Tensor {
  const values = tf.randomNormal(shape, 0, 1, 'float32', seed + 1000);
  if (loss !== 'categoricalCrossentropy') return values;
  return tf.cast(tf.oneHot(tf.argMax(values, 1), shape[1]!), 'float32');
}

function plain(tensor: tf.Tensor): unknown {
  return tensor.arraySync();
}

const cases = [];
for (const [index, each] of CASES.entries()) cases.push(await curve(each, 100 * (index + 1)));
console.log(JSON.stringify(cases));
