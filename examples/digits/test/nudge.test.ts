import { TEST_BACKEND } from '@hookline/test-support';
import { createLogger, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { nudge } from '../src/nudge.js';

test('the images of every other batch move by one pixel, in all four directions', async () => {
  const seen: number[][] = [];
  const trainer = new Trainer({
    model: () => sequential({ layers: [layers.flatten({ inputShape: [8, 8] }), layers.dense({ units: 1 })] }),
    loss: 'meanSquaredError',
    hooks: [
      nudge,
      {
        name: 'look',
        onForward: (_, { inputs }) => {
          seen.push(brightPixel(inputs[0]!));
        },
        layers: 'flatten_1',
      },
    ],
    discover: false,
    runsDir: false,
    backend: TEST_BACKEND,
    logger: createLogger({ level: 'error' }),
  });
  const image = tf.buffer([8, 8]);
  image.set(1, 4, 4);
  const xs = tf.tile(tf.reshape(image.toTensor(), [1, 8, 8]), [8, 1, 1]);

  await trainer.fit({ train: { xs, ys: new Float32Array(8) }, epochs: 1, batchSize: 1 });

  expect(seen).toEqual([
    [4, 4],
    [5, 4],
    [4, 4],
    [4, 3],
    [4, 4],
    [3, 4],
    [4, 4],
    [4, 5],
  ]);
});

/** Row and column of the one pixel that is not 0. */
function brightPixel(images: tf.Tensor): number[] {
  const place = images.dataSync().indexOf(1);
  return [Math.floor(place / 8), place % 8];
}
