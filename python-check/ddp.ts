// Two processes train one model, batch after batch: the losses and the weights, with everything that is needed to do the
// same with DistributedDataParallel.

import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { Trainer } from '../packages/trainer/src/index.js';

const SAMPLES = 48;
const wave = (count: number, step: number) =>
  Array.from({ length: count }, (_, index) => Math.sin(index * step));
const xs = tf.tensor2d(wave(SAMPLES * 4, 0.37), [SAMPLES, 4]);
const ys = tf.tensor2d(wave(SAMPLES, 0.71), [SAMPLES, 1]);

const model = tfl.sequential({
  layers: [
    tfl.layers.dense({ units: 6, activation: 'tanh', inputShape: [4] }),
    tfl.layers.dense({ units: 1 }),
  ],
});
const weights = () => model.getWeights().map((weight) => weight.arraySync());
let start = weights();
const losses: number[] = [];

const trainer = new Trainer({
  model,
  loss: 'meanSquaredError',
  optimizer: { name: 'adam', lr: 0.05 },
  strategy: { name: 'accelerate', processes: 2 },
  backend: 'cpu',
  discover: false,
  runsDir: false,
  hooks: [
    {
      name: 'record',
      // Both processes have those of the main one by now.
      onTrainStart: () => {
        start = weights();
      },
      onStepEnd: (_ctx, { loss }) => void losses.push(loss),
    },
  ],
});
await trainer.fit({ train: { xs, ys }, epochs: 5, batchSize: 8, shuffle: false });

const config = { epochs: 5, batchSize: 8, lr: 0.05 };
console.log(
  JSON.stringify({ config, xs: xs.arraySync(), ys: ys.arraySync(), start, losses, weights: weights() }),
);
