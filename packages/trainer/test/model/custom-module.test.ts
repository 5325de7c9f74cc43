import type { Hook, TensorTree, TrainableModule } from '@hookline/hook-api';
import { regression, TEST_BACKEND } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, test } from 'vitest';
import { selectBackend } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

beforeAll(() => selectBackend({ backend: TEST_BACKEND, root: '.' }));

/** y = w * tanh(x) + b, with a buffer that counts the training passes. */
function module(extra: Partial<TrainableModule> = {}) {
  const scale = tf.variable(tf.tensor2d([0.1, 0.2, 0.3], [3, 1]));
  const offset = tf.variable(tf.scalar(0));
  const passes = tf.variable(tf.scalar(0), false);
  const built: TrainableModule = {
    parameters: () => ({ 'head/scale': scale, 'head/offset': offset }),
    buffers: () => ({ passes }),
    forward: (xs, { training, tap }) => {
      const features = tap('features', tf.tanh(xs as tf.Tensor));
      if (training) passes.assign(tf.add(passes, 1));
      return tap('out', tf.add(tf.matMul(features, scale), offset));
    },
    ...extra,
  };
  return { module: built, scale, offset, passes };
}

test('a module of raw ops trains with the loss of the trainer', async () => {
  const { module: model, scale, passes } = module();
  const before = [...scale.dataSync()];
  const trainer = quietTrainer({
    model,
    optimizer: { name: 'adam', lr: 0.05 },
    metrics: ['meanAbsoluteError'],
  });
  const { history } = await trainer.fit({ train: regression(32), epochs: 5, batchSize: 8 });
  expect(history[4]!['train/loss']).toBeLessThan(history[0]!['train/loss']!);
  expect(history[4]!['train/meanAbsoluteError']).toBeLessThan(history[0]!['train/meanAbsoluteError']!);
  expect([...scale.dataSync()]).not.toEqual(before);
  expect(passes.dataSync()[0]).toBe(20);
});

test('a module with its own loss needs no other and no targets', async () => {
  const { module: model } = module({
    loss: (outputs, { xs }) =>
      tf.mean(tf.square(tf.sub(outputs as tf.Tensor, tf.sum(xs as tf.Tensor, 1, true)))),
  });
  const trainer = quietTrainer({ model, loss: undefined as never, optimizer: { name: 'sgd', lr: 0.1 } });
  const { history } = await trainer.fit({
    train: [{ xs: tf.tensor2d(regression(8).xs) }],
    epochs: 20,
  });
  expect(history[19]!['train/loss']).toBeLessThan(history[0]!['train/loss']! / 2);
});

test('its own loss comes before the one of the trainer', async () => {
  const { module: model } = module({ loss: () => tf.scalar(42) });
  const trainer = quietTrainer({ model, loss: 'meanSquaredError' });
  expect(await trainer.validate({ data: regression(4) })).toEqual({ 'val/loss': 42 });
});

test('tap points show in onForward and can be replaced', async () => {
  const { module: model } = module();
  const seen: unknown[] = [];
  const tap: Hook = {
    name: 'tap',
    layers: 'features',
    onForward: (_ctx, { path, output, training }) => {
      seen.push([path, output.shape, training]);
    },
    transformActivation: (_ctx, { output }) => tf.zerosLike(output),
  };
  const trainer = quietTrainer({ model, hooks: [tap] });
  const outputs = (await trainer.predict({ data: { xs: tf.ones([2, 3]) } })) as tf.Tensor;
  expect(seen).toEqual([['features', [2, 3], false]]);
  expect([...outputs.dataSync()]).toEqual([0, 0]);
  outputs.dispose();
});

test('gradients, optimizers and snapshots go by the paths of the module', async () => {
  const { module: model } = module();
  const paths: string[][] = [];
  const watch: Hook = {
    name: 'watch',
    onAfterBackward: (_ctx, { gradients }) => {
      paths.push(Object.keys(gradients));
    },
    onTrainEnd: async (ctx) => {
      paths.push(Object.keys((await ctx.snapshot()).model));
    },
  };
  const trainer = quietTrainer({
    model,
    hooks: [watch],
    optimizer: [{ name: 'sgd', params: 'head/offset' }, 'adam'],
  });
  await trainer.fit({ train: regression(4), epochs: 1 });
  expect(paths).toEqual([
    ['head/scale', 'head/offset'],
    ['head/scale', 'head/offset', 'passes'],
  ]);
});

test('several outputs by name, of which one is an input and one a variable, stay whole', async () => {
  const xs = tf.tensor2d(regression(4).xs);
  const ys = tf.tensor2d(regression(4).ys);
  const { module: plain, scale } = module();
  const model: TrainableModule = {
    ...plain,
    forward: (inputs, options): TensorTree => ({
      out: plain.forward(inputs, options) as tf.Tensor,
      inputs: inputs as tf.Tensor,
      scale,
    }),
    loss: (outputs, batch) =>
      tf.losses.meanSquaredError(batch.ys as tf.Tensor, (outputs as Record<string, tf.Tensor>).out!),
  };
  const trainer = quietTrainer({ model });
  const data = [{ xs, ys }];
  await trainer.fit({ train: data, validation: data, epochs: 2 });
  await trainer.test({ data });
  const outputs = (await trainer.predict({ data })) as Record<string, tf.Tensor>;
  expect(Object.keys(outputs)).toEqual(['out', 'inputs', 'scale']);
  expect([...outputs.inputs!.dataSync()]).toEqual([...xs.dataSync()]);
  tf.dispose(outputs);
  expect(xs.isDisposed).toBe(false);
  expect(scale.isDisposed).toBe(false);
});

test('a module may give its loss as an output', async () => {
  const { module: plain } = module();
  const model: TrainableModule = {
    ...plain,
    forward: (xs, options): TensorTree => {
      const out = plain.forward(xs, options) as tf.Tensor;
      return { out, penalty: tf.mean(tf.square(out)) };
    },
    loss: (outputs) => (outputs as Record<string, tf.Scalar>).penalty!,
  };
  const before = tf.memory().numTensors;
  const trainer = quietTrainer({ model, optimizer: { name: 'sgd', lr: 0.1 } });
  const { history } = await trainer.fit({ train: { xs: regression(4).xs }, epochs: 3 });
  expect(history[2]!['train/loss']).toBeLessThan(history[0]!['train/loss']!);
  expect(tf.memory().numTensors).toBe(before);
});
