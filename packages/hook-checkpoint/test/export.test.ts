import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSafetensors } from '@hookline/safetensors/node';
import { collectingLogger, regression, serveFolder, TEST_BACKEND, tempFolder } from '@hookline/test-support';
import { exportModel, loadModel, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkpoint } from '../src/index.js';
import { dirOf, model, run, scripted } from './fixture.js';

const INPUT = [[0.1, -0.2, 0.3]];

/** A run of three epochs whose first one is the best. */
const root = mkdtempSync(join(tmpdir(), 'hookline-'));
let runDir: string;
let lastOutput: number[];

beforeAll(async () => {
  const losses = scripted('my/loss', [1, 2, 3]);
  const options = { monitor: 'my/loss', filename: '{epoch}' };
  const outcome = await run(root, { checkpoint: options, hooks: [losses] });
  runDir = outcome.result.runDir;
  lastOutput = outputOf((await outcome.trainer.model()) as tfl.LayersModel);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('loadModel', () => {
  test('gives the trained model, without tfjs-node, from the folder of a run', async () => {
    expect(outputOf(await loadModel(runDir, { checkpoint: 'last' }))).toEqual(lastOutput);
  });

  test('takes the best checkpoint unless another is asked for, by mark or by name', async () => {
    const first = outputOf(await loadModel(join(runDir, 'checkpoints', '1')));
    expect(first).not.toEqual(lastOutput);
    expect(outputOf(await loadModel(runDir))).toEqual(first);
    expect(outputOf(await loadModel(runDir, { checkpoint: '3' }))).toEqual(lastOutput);
  });

  test('names the checkpoints there are when the one asked for is missing', async () => {
    await expect(loadModel(runDir, { checkpoint: 'bst' })).rejects.toMatchObject({
      code: 'NO_CHECKPOINTS',
      message: expect.stringMatching(
        /has no checkpoint "bst"\. Did you mean "best"\? There are: 1, 2, 3, best, last/,
      ),
    });
  });

  test('refuses a damaged file instead of computing with it', async () => {
    const outcome = await run(tempFolder());
    const dir = dirOf(outcome);
    const file = join(dir, readdirSync(dir).find((name) => name.startsWith('epoch_3'))!, 'model.safetensors');
    const bytes = readFileSync(file);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(file, bytes);
    await expect(loadModel(outcome.result.runDir, { checkpoint: 'last' })).rejects.toThrow(
      /model\.safetensors/,
    );
  });

  test('takes the moving average of the weights, which is what was validated, unless told otherwise', async () => {
    const outcome = await run(tempFolder(), { trainer: { ema: { decay: 0.5, keep: true } } });
    const kept = outputOf((await outcome.trainer.model()) as tfl.LayersModel);
    const { runDir: averaged } = outcome.result;
    expect(outputOf(await loadModel(averaged, { checkpoint: 'last' }))).toEqual(kept);
    expect(outputOf(await loadModel(averaged, { checkpoint: 'last', average: false }))).not.toEqual(kept);
  });

  test('reads checkpoints in the format of tfjs too', async () => {
    const outcome = await run(tempFolder(), { checkpoint: { format: 'tfjs' } });
    const trained = outputOf((await outcome.trainer.model()) as tfl.LayersModel);
    expect(outputOf(await loadModel(outcome.result.runDir, { checkpoint: 'last' }))).toEqual(trained);
  });

  test('leaves no tensor behind but those of the model', async () => {
    const before = tf.memory().numTensors;
    (await loadModel(runDir)).dispose();
    expect(tf.memory().numTensors).toBe(before);
  });

  test('says what to do with a model of raw operations', async () => {
    const variable = tf.variable(tf.ones([3, 1]));
    const module = {
      parameters: () => ({ weight: variable }),
      forward: (xs: unknown) => tf.matMul(xs as tf.Tensor2D, variable as tf.Tensor2D),
    };
    const trainer = new Trainer({
      ...{
        model: module,
        loss: 'meanSquaredError',
        root: tempFolder(),
        discover: false,
        backend: TEST_BACKEND,
      },
      hooks: [checkpoint({ async: false })],
      logger: collectingLogger([]),
    });
    const result = await trainer.fit({ train: regression(8, 1), epochs: 1 });
    await expect(loadModel(result.runDir)).rejects.toThrow(/not a tf\.LayersModel.*trainer\.load\(\)/);
    const target = join(tempFolder(), 'weights');
    await exportModel(result.runDir, target, { format: 'safetensors' });
    expect(readdirSync(target).sort()).toEqual(['manifest.json', 'model.safetensors']);
  });
});

describe('exportModel', () => {
  test('tfjs: tf.loadLayersModel reads it over HTTP, as a page does', async () => {
    const target = join(tempFolder(), 'deep', 'exported');
    await exportModel(runDir, target, { checkpoint: 'last' });
    const loaded = await tfl.loadLayersModel(`${await serveFolder(target)}/model.json`);
    expect(outputOf(loaded)).toEqual(lastOutput);
  });

  test('safetensors: the weights by path', async () => {
    const target = join(tempFolder(), 'exported');
    await exportModel(runDir, target, { format: 'safetensors' });
    expect(await namesIn(target)).toEqual(['hidden/bias', 'hidden/kernel', 'out/bias', 'out/kernel']);
  });

  test('a folder that exists is never overwritten', async () => {
    const target = tempFolder({ 'precious.txt': 'keep' });
    await expect(exportModel(runDir, target)).rejects.toThrow(/exists/);
    expect(readdirSync(target)).toEqual(['precious.txt']);
  });

  test('a folder that cannot be made is named, with what to do', async () => {
    const target = join(runDir, 'run.json', 'inside', 'model');
    await expect(exportModel(runDir, target)).rejects.toMatchObject({
      code: 'FOLDER_NOT_WRITABLE',
      message: expect.stringMatching(/cannot be written to .*model: ENOTDIR.*name another one/),
    });
  });

  test('a model that cannot be exported leaves no folder', async () => {
    const target = join(tempFolder(), 'exported');
    await expect(exportModel(runDir, target, { checkpoint: 'nope' })).rejects.toThrow(/nope/);
    expect(existsSync(target)).toBe(false);
  });
});

async function namesIn(folder: string): Promise<string[]> {
  const file = await openSafetensors(join(folder, 'model.safetensors'));
  const names = [...(await file.readAll()).keys()].sort();
  await file.close();
  return names;
}

function outputOf(trained: tfl.LayersModel): number[] {
  return tf.tidy(() => [...(trained.predict(tf.tensor2d(INPUT)) as tf.Tensor).dataSync()]);
}

test('the fixture has dropout, which must not act in a loaded model', async () => {
  expect(model().layers.map((layer) => layer.getClassName())).toContain('Dropout');
  const loaded = await loadModel(runDir);
  expect(outputOf(loaded)).toEqual(outputOf(loaded));
});
