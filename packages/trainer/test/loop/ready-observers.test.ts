import type { Gradients, Hook } from '@hookline/hook-api';
import { regression, regressor, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import type { TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const data = regression(8);

async function train(hooks: Hook[], options: Partial<TrainerOptions> = {}) {
  const model = regressor();
  const trainer = quietTrainer({ model, optimizer: { name: 'sgd', lr: 0.1 }, hooks, ...options });
  await trainer.fit({ train: data, epochs: 1, batchSize: 4, shuffle: false });
  return weightsOf(model);
}

const normOf = (gradients: Gradients) =>
  Math.sqrt(
    Object.values(gradients)
      .flatMap((gradient) => [...gradient.dataSync()])
      .reduce((sum, value) => sum + value * value, 0),
  );

test('onTrainBatchReady sees the batch as the model will, after every transformBatch', async () => {
  const seen: number[] = [];
  const watcher: Hook = {
    name: 'watcher',
    onTrainBatchReady: (_ctx, { batch }) => void seen.push((batch.xs as tf.Tensor).dataSync()[0]!),
  };
  const double: Hook = {
    name: 'double',
    transformBatch: (_ctx, { batch }) => ({ ...batch, xs: tf.mul(batch.xs as tf.Tensor, 2) }),
  };
  await train([watcher, double]);
  expect(seen).toEqual([0, 4].map((row) => Math.fround(2 * Math.fround(data.xs[row]![0]!))));
});

test('it is called before a batch that does not fit ends the run', async () => {
  const shapes: number[][] = [];
  const watcher: Hook = {
    name: 'watcher',
    onTrainBatchReady: (_ctx, { batch }) => void shapes.push((batch.xs as tf.Tensor).shape),
  };
  const cut: Hook = {
    name: 'cut',
    transformBatch: (_ctx, { batch }) => ({ ...batch, xs: tf.slice(batch.xs as tf.Tensor, [0, 0], [-1, 2]) }),
  };
  await expect(train([watcher, cut])).rejects.toMatchObject({ code: 'BAD_BATCH' });
  expect(shapes).toEqual([[4, 2]]);
});

test('it is not called for a batch that is skipped', async () => {
  let ready = 0;
  const skipper: Hook = {
    name: 'skipper',
    onTrainBatchStart: (ctx, { batchIndex }) => {
      if (batchIndex === 0) ctx.skipBatch();
    },
    onTrainBatchReady: () => void ready++,
  };
  await train([skipper]);
  expect(ready).toBe(1);
});

test('onGradientsReady sees the gradients as they will be applied, and as they were before clipping', async () => {
  const norms: [number, number][] = [];
  const watcher: Hook = {
    name: 'watcher',
    onGradientsReady: (_ctx, { gradients, unclipped }) =>
      void norms.push([normOf(gradients), normOf(unclipped)]),
  };
  const large: Hook = {
    name: 'large',
    transformGradients: (_ctx, { gradients }) =>
      Object.fromEntries(Object.entries(gradients).map(([path, each]) => [path, tf.mul(each, 100)])),
  };
  await train([watcher, large], { clip: { globalNorm: 0.5 } });
  expect(norms).toHaveLength(2);
  for (const [applied, before] of norms) {
    expect(applied).toBeCloseTo(0.5, 4);
    expect(before).toBeGreaterThan(5);
  }
});

test('without clipping the two are the same, and once for a step of several batches and optimizers', async () => {
  const same: boolean[] = [];
  const paths: string[][] = [];
  const watcher: Hook = {
    name: 'watcher',
    onGradientsReady: (_ctx, { gradients, unclipped }) => {
      same.push(gradients === unclipped);
      paths.push(Object.keys(gradients).sort());
    },
  };
  const optimizer: TrainerOptions['optimizer'] = [{ name: 'sgd', lr: 0.1, params: 'hidden/*' }, 'adam'];
  await train([watcher], { accumulate: 2, optimizer });
  expect(same).toEqual([true]);
  expect(paths[0]).toEqual(['hidden/bias', 'hidden/kernel', 'out/bias', 'out/kernel']);
});

test('observers that look at everything change no bit, and one that throws does not end the run', async () => {
  const looker: Hook = {
    name: 'looker',
    onTrainBatchReady: (_ctx, { batch }) => void (batch.xs as tf.Tensor).dataSync(),
    onGradientsReady: (_ctx, { gradients }) => void normOf(gradients),
  };
  const thrower: Hook = {
    name: 'thrower',
    onTrainBatchReady: () => {
      throw new Error('not today');
    },
    onGradientsReady: () => {
      throw new Error('not today');
    },
  };
  expect(await train([looker, thrower])).toEqual(await train([]));
});
