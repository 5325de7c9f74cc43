import { createLogger, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import type { Grown, Size } from './growth.js';

// What growth.py does in PyTorch: one model, Adam, the same number of steps.
const { batch, width, depth } = JSON.parse(process.argv[2]!) as Size;
const BATCHES = 4;

const model = () =>
  sequential({
    layers: [
      ...Array.from({ length: depth }, (_, index) =>
        layers.dense({ units: width, activation: 'relu', ...(index === 0 && { inputShape: [width] }) }),
      ),
      layers.dense({ units: 1 }),
    ],
  });

let begun = 0;
const trainer = new Trainer({
  model,
  loss: 'meanSquaredError',
  optimizer: 'adam',
  seed: 1,
  discover: false,
  runsDir: false,
  logger: createLogger({ level: 'warn' }),
  hooks: [
    {
      name: 'clock',
      onEpochStart: (_ctx: unknown, { epoch }: { epoch: number }) => {
        if (epoch === warmUp) begun = performance.now();
      },
    },
  ],
});
await trainer.ready();

const rows = BATCHES * batch;
const xs = tf.randomNormal([rows, width], 0, 1, 'float32', 1);
const ys = tf.randomNormal([rows, 1], 0, 1, 'float32', 2);
// About as much computing in each size, so that small ones are warm and large ones end.
const perStep = batch * width * width * depth;
const epochs = Math.max(4, Math.min(400, Math.round(2e9 / perStep)));
const warmUp = Math.ceil(epochs / 2);
await trainer.fit({ train: { xs, ys }, batchSize: batch, shuffle: false, epochs });
const grown: Grown = {
  step: (performance.now() - begun) / ((epochs - warmUp) * BATCHES),
  peak: process.resourceUsage().maxRSS * 1024,
};
console.log(JSON.stringify(grown));
