import { Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { debug } from '../src/index.js';
import { chain } from './chain.js';

// A run for a debugger to stop in: its second batch is bad.
const trainer = new Trainer({
  model: chain(),
  loss: 'meanSquaredError',
  hooks: [debug({ nan: 'break' })],
  discover: false,
  backend: 'cpu',
  runsDir: false,
  seed: 1,
  nonFiniteLoss: 'warn', // said aloud, lest the trainer refuse the bad data
});
const train = { xs: tf.tensor2d([[1], [Number.NaN], [2]]), ys: tf.tensor2d([[1], [2], [3]]) };
const { status, stopReason } = await trainer.fit({ train, epochs: 1, batchSize: 1, shuffle: false });
console.log(`${status}: ${stopReason}`);
