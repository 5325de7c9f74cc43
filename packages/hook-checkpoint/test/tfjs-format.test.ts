import { join } from 'node:path';
import { commitFolder, openFolder } from '@hookline/safetensors/node';
import { serveFolder, tempFolder } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { type CheckpointInfo, readSnapshot } from '../src/index.js';
import { type RunOptions, run, stopAt } from './fixture.js';

const dirOf = ({ result }: { result: { runDir: string } }) => join(result.runDir, 'checkpoints');

test('format tfjs: tf.loadLayersModel reads it, with the weights to the bit, and it can be resumed from', async () => {
  const root = tempFolder();
  const normed = () =>
    tfl.sequential({
      layers: [
        tfl.layers.dense({ units: 4, inputShape: [3], activation: 'tanh' }),
        tfl.layers.batchNormalization(),
        tfl.layers.dense({ units: 1 }),
      ],
    });
  const options: RunOptions = {
    checkpoint: { format: 'tfjs', filename: '{epoch}' },
    trainer: { model: normed },
  };
  const whole = await run(tempFolder(), options);
  const first = await run(root, { ...options, hooks: [stopAt(5)] });
  const path = join(dirOf(first), '1');
  const files = [...(await openFolder(path)).manifest.files.keys()].sort();
  expect(files).toEqual(expect.arrayContaining(['model.json', 'state.json', 'weights.bin']));
  expect(files).not.toContain('model.safetensors');

  // As a browser does it: both files over HTTP, the second by what the first says of it.
  const loaded = await tfl.loadLayersModel(`${await serveFolder(path)}/model.json`);
  expect(loaded.getWeights().map((weight) => [...weight.dataSync()])).toEqual(first.weights);
  const resumed = await run(root, { ...options, fit: { resume: 'auto' } });
  expect(resumed.weights).toEqual(whole.weights);
});

test('format tfjs needs a model of layers', async () => {
  const variable = tf.variable(tf.scalar(0));
  const module = {
    parameters: () => ({ weight: variable }),
    forward: (xs: unknown) => tf.mul(xs as tf.Tensor, variable),
  };
  const failing = run(tempFolder(), { checkpoint: { format: 'tfjs' }, trainer: { model: module } });
  await expect(failing).rejects.toThrow(/the model is not a tf.LayersModel/);
});

test('weights of all types come back from the format of tfjs, wherever they lie in the file', async () => {
  const path = join(tempFolder(), 'c');
  const weights = [
    { name: 'm', path: 'mask', shape: [3], dtype: 'bool' },
    { name: 'k', path: 'kernel', shape: [2], dtype: 'float32' },
    { name: 'n', path: 'counts', shape: [1, 2], dtype: 'int32' },
  ];
  const info: Partial<CheckpointInfo> = {
    kind: 'hookline-checkpoint',
    version: 1,
    sequence: 1,
    lineage: 'a',
    fields: {},
  };
  await commitFolder(
    path,
    async (folder) => {
      await folder.write('weights.bin', [
        Uint8Array.of(1, 0, 1),
        new Uint8Array(Float32Array.of(0.5, -2).buffer),
        new Uint8Array(Int32Array.of(7, -8).buffer),
      ]);
      const described = { format: 'layers-model', modelTopology: {}, weightsManifest: [{ weights }] };
      await folder.write('model.json', JSON.stringify(described));
    },
    { info },
  );
  expect((await readSnapshot(path)).model).toEqual({
    mask: { dtype: 'bool', shape: [3], data: Uint8Array.of(1, 0, 1) },
    kernel: { dtype: 'float32', shape: [2], data: Float32Array.of(0.5, -2) },
    counts: { dtype: 'int32', shape: [1, 2], data: Int32Array.of(7, -8) },
  });
});
