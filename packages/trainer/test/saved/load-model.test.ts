import type { TensorInput } from '@hookline/safetensors';
import { commitFolder } from '@hookline/safetensors/node';
import { errorOf, folderPerTest, TEST_BACKEND } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, expect, test } from 'vitest';
import { exportModel, loadModel, selectBackend } from '../../src/index.js';

beforeAll(() => selectBackend({ backend: TEST_BACKEND, root: '.' }));

const folder = folderPerTest();
const WEIGHTS: Record<string, TensorInput> = {
  'out/kernel': { shape: [2, 1], data: Float32Array.of(2, 3) },
  'out/bias': { shape: [1], data: Float32Array.of(1) },
};

/** A checkpoint of a model of one layer, `out`. */
async function checkpoint(
  weights: Record<string, TensorInput>,
  { topology = {}, average }: { topology?: object; average?: Record<string, TensorInput> } = {},
): Promise<string> {
  const model = tfl.sequential({ layers: [tfl.layers.dense({ name: 'out', units: 1, inputShape: [2] })] });
  const modelTopology = { ...(model.toJSON(null, false) as object), ...topology };
  model.dispose();
  const path = folder.in('step_1');
  await commitFolder(path, async (files) => {
    await files.writeSafetensors('model.safetensors', weights);
    if (average) await files.writeSafetensors('average.safetensors', average);
    await files.write('model.json', JSON.stringify({ modelTopology }));
  });
  return path;
}

/** What the model makes of [1, 1]. */
async function answerOf(path: string, options = {}): Promise<number> {
  const model = await loadModel(path, options);
  const answer = tf.tidy(() => (model.predict(tf.ones([1, 2])) as tf.Tensor).dataSync()[0]!);
  model.dispose();
  return answer;
}

test('the model of a checkpoint computes with its weights, and belongs to the caller', async () => {
  const path = await checkpoint(WEIGHTS);
  const before = tf.memory().numTensors;
  expect(await answerOf(path)).toBe(6);
  expect(tf.memory().numTensors).toBe(before);
});

test('a moving average of the weights is taken, unless the weights of training are asked for', async () => {
  const average = { 'out/bias': { shape: [1], data: Float32Array.of(10) } };
  const path = await checkpoint(WEIGHTS, { average });
  expect(await answerOf(path)).toBe(15);
  expect(await answerOf(path, { average: false })).toBe(6);
});

test('weights that do not fit are named, all of them, and no tensor stays', async () => {
  const path = await checkpoint({ 'out/kernel': { shape: [3, 1], data: new Float32Array(3) } });
  const before = tf.memory().numTensors;
  expect(await errorOf(() => loadModel(path))).toMatchObject({
    code: 'CHECKPOINT_MISMATCH',
    message: `The weights of "${path}" do not fit its model.json: out/kernel is [3,1], the model has [2,1]; out/bias is missing.`,
  });
  expect(tf.memory().numTensors).toBe(before);
});

test('a type that TensorFlow.js does not have is refused by name', async () => {
  const path = await checkpoint({ 'out/bias': { dtype: 'F64', shape: [1], data: Float64Array.of(1) } });
  expect(await errorOf(() => loadModel(path))).toMatchObject({
    code: 'CHECKPOINT_MISMATCH',
    message: expect.stringContaining('"out/bias" in model.safetensors of'),
  });
});

test('a layer of the user must be registered first, and the error says how', async () => {
  const layers = [{ class_name: 'MyLayer', config: { name: 'mine' } }];
  const path = await checkpoint(WEIGHTS, {
    topology: { class_name: 'Sequential', config: { name: 'm', layers } },
  });
  expect(await errorOf(() => loadModel(path))).toMatchObject({
    code: 'BAD_MODEL',
    message: expect.stringContaining('calls serialization.registerClass(MyLayer) first'),
  });
});

test.each(['tfjs', 'keras'] as const)(
  'a checkpoint without model.json cannot be exported as %s, and nothing is written',
  async (format) => {
    const path = folder.in('bare');
    await commitFolder(path, (files) => files.writeSafetensors('model.safetensors', WEIGHTS));
    expect(await errorOf(() => exportModel(path, folder.in('out'), { format }))).toMatchObject({
      code: 'BAD_MODEL',
      message: expect.stringContaining('has no model.json, because its model is not a tf.LayersModel'),
    });
    const { files } = await exportModel(path, folder.in('out'), { format: 'safetensors' });
    expect([...files.keys()]).toEqual(['model.safetensors']);
  },
);
