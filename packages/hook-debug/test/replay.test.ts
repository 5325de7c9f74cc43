import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TensorTree, TrainableModule } from '@hookline/hook-api';
import { tempFolder } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { debug, type ReplayOptions, replay } from '../src/index.js';
import { chain } from './chain.js';
import { watchedRun } from './watched-run.js';

const meanSquaredError: ReplayOptions['loss'] = (outputs, { ys }) =>
  tf.mean(tf.square(tf.sub(outputs as tf.Tensor, ys as tf.Tensor)));

async function bundleOf(...[hooks, options]: Parameters<typeof watchedRun>): Promise<string> {
  const { said } = await watchedRun(hooks, { ...options, runsDir: tempFolder() });
  return said[0]!.fields.bundle as string;
}

test('a replay walks through the layers and shows where the first bad value appears', async () => {
  const folder = await bundleOf([debug()], {
    model: chain([1, 3e38, 1]),
    data: { xs: [[10]], ys: [[1]] },
  });
  const report = await replay(folder, { model: chain(), loss: meanSquaredError });
  expect(report).toMatchObject({
    bad: true,
    firstBadLayer: 'second',
    loss: Infinity,
    batch: [],
    weights: [],
  });
  expect(report.gradients!.map(({ path }) => path)).toContain('third/kernel');
  expect(report.text).toMatchInlineSnapshot(`
    "Step 0: epoch 1, batch 1 of loader "train"

    batch      finite
    weights    finite
    layers     first   [1, 1]  10 to 10
               second  [1, 1]  1 infinite of 1 value, first at [0, 0]  <- first
               third   [1, 1]  1 infinite of 1 value, first at [0, 0]

    loss       Infinity, as in the run
    gradients  first/kernel: 1 infinite of 1 value, first at [0, 0]
               first/bias: 1 infinite of 1 value, first at [0]
               second/kernel: 1 infinite of 1 value, first at [0, 0]
               second/bias: 1 infinite of 1 value, first at [0]
               third/kernel: 1 infinite of 1 value, first at [0, 0]
               third/bias: 1 infinite of 1 value, first at [0]

    The first bad output is that of second, from finite input and weights.
    "
  `);
});

test('the step is fine when it was fixed', async () => {
  const folder = await bundleOf([debug()], {
    loss: (_targets: tf.Tensor, outputs: tf.Tensor) => tf.log(tf.sub(outputs, 5)),
    data: { xs: [[1]], ys: [[1]] },
  });
  const broken = await replay(folder, {
    model: chain(),
    loss: (outputs) => tf.log(tf.sub(outputs as tf.Tensor, 5)),
  });
  expect(broken).toMatchObject({ bad: true, firstBadLayer: undefined, loss: Number.NaN });
  expect(broken.text).toContain('All layers are finite, the loss is not: look at the loss function.');
  const mended = await replay(folder, { model: chain(), loss: meanSquaredError });
  expect(mended).toMatchObject({ bad: false, gradients: [] });
  expect(mended.text).toContain('Everything is finite.');
  const forwardOnly = await replay(folder, { model: chain() });
  expect(forwardOnly).toMatchObject({ bad: false, loss: undefined, gradients: undefined });
  expect(forwardOnly.text).toContain('Give the loss too');
});

test('a module is replayed with its own loss and by its own taps', async () => {
  const make = (): TrainableModule => {
    const weight = tf.variable(tf.scalar(2));
    return {
      parameters: () => ({ weight }),
      forward: (xs: TensorTree, { tap }) => {
        const scaled = tap('scale', tf.mul(xs as tf.Tensor, weight));
        return tap('log', tf.log(scaled));
      },
      loss: (outputs) => tf.mean(outputs as tf.Tensor),
    };
  };
  const folder = await bundleOf([debug()], { model: make, data: { xs: [[-1]] } });
  const report = await replay(folder, { model: async () => make() });
  expect(report).toMatchObject({ bad: true, firstBadLayer: 'log', loss: Number.NaN });
  expect(report.layers.map(({ path }) => path)).toEqual(['scale', 'log']);
});

test('a bad batch and bad weights are told apart', async () => {
  const batch = await bundleOf([debug()], { data: { xs: [[Number.NaN]], ys: [[1]] } });
  expect((await replay(batch, { model: chain() })).text).toContain('The batch itself is bad: xs.');
  const weights = await bundleOf([debug()], {
    data: { xs: [[100], [1]], ys: [[0], [1]] },
    optimizer: { name: 'sgd', lr: 3e38 },
  });
  expect((await replay(weights, { model: chain() })).text).toContain(
    'The weights were already bad: first/kernel. An earlier update broke them.',
  );
});

test('the model keeps the weights of the bundle, and nothing else is left behind', async () => {
  const model = () =>
    sequential({
      layers: [layers.batchNormalization({ inputShape: [1], name: 'norm' }), layers.dense({ units: 1 })],
    });
  const folder = await bundleOf([debug()], {
    model,
    data: { xs: [[1], [2], [Number.NaN]], ys: [[1], [2], [3]] },
  });
  const mine = model();
  await replay(folder, { model: mine, loss: meanSquaredError });
  const mean = mine.getLayer('norm').weights.find(({ name }) => name.includes('moving_mean'))!;
  const [before] = await mean.read().data();
  expect(before).toBeGreaterThan(0);
  const { numTensors } = tf.memory();
  await replay(folder, { model: mine, loss: meanSquaredError });
  expect(tf.memory().numTensors).toBe(numTensors);
  expect(mean.read().dataSync()[0]).toBe(before);
});

test('a bundle of another model is refused, with every difference, and the model is not touched', async () => {
  const folder = await bundleOf([debug()], { data: { xs: [[Number.NaN]], ys: [[1]] } });
  const other = sequential({
    layers: [
      layers.dense({ units: 2, inputShape: [1], name: 'first', kernelInitializer: 'ones' }),
      layers.dense({ units: 1, name: 'last' }),
    ],
  });
  await expect(replay(folder, { model: other })).rejects.toThrow(
    /different model:\n(.*\n)*.*second\/kernel: not in the model\n(.*\n)*.*first\/kernel: \[1,1\] in the bundle, \[1,2\] in the model\n(.*\n)*.*last\/bias: not in the bundle/,
  );
  expect([...other.getLayer('first').getWeights()[0]!.dataSync()]).toEqual([1, 1]);
});

test('a folder that is not a bundle is refused, and the message says where bundles are', async () => {
  const empty = tempFolder();
  await expect(replay(empty, { model: chain() })).rejects.toThrow(
    /is not a bundle of the debug hook.*<run>\/debug\/<step>/,
  );
  const folder = await bundleOf([debug()], { data: { xs: [[Number.NaN]], ys: [[1]] } });
  await truncate(join(folder, 'batch.safetensors'), 40);
  await expect(replay(folder, { model: chain() })).rejects.toThrow(/batch\.safetensors cannot be read\. /);
  await writeFile(join(folder, 'bundle.json'), '{"format":"other","version":2}');
  await expect(replay(folder, { model: chain() })).rejects.toThrow(
    /says format "other", version 2; expected/,
  );
  await writeFile(join(folder, 'bundle.json'), 'null');
  await expect(replay(folder, { model: chain() })).rejects.toThrow(/says format "undefined"/);
  await rm(join(folder, 'bundle.json'));
  await expect(replay(folder, { model: chain() })).rejects.toThrow(/is not a bundle/);
});
