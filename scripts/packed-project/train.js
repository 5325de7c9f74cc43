// What a user would write, with nothing but the packages from the registry. packed-test.mjs runs it.
import { writeFileSync } from 'node:fs';
import { Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';

const trainer = new Trainer({
  model: () =>
    sequential({
      layers: [layers.dense({ units: 8, activation: 'tanh', inputShape: [2] }), layers.dense({ units: 1 })],
    }),
  loss: 'meanSquaredError',
  optimizer: { name: 'adam', lr: 0.05 },
  seed: 7,
});

const result = await trainer.fit({
  train: points(256),
  validation: points(64),
  epochs: 5,
  batchSize: 16,
});

const { status, metrics, runDir, hookCosts } = result;
writeFileSync('result.json', JSON.stringify({ status, metrics, runDir, hookCosts }));

/** Points of the plane y = 2a - 3b, which a small network learns within a few epochs. */
function points(count) {
  const rows = Array.from({ length: count }, (_, row) => [Math.sin(row), Math.cos(1.7 * row)]);
  return { xs: tf.tensor2d(rows), ys: tf.tensor2d(rows.map(([a, b]) => [2 * a - 3 * b])) };
}
