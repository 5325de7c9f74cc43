import { execFile } from 'node:child_process';
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Batch, Hook, TensorTree } from '@hookline/hook-api';
import { bundledProgram } from '@hookline/test-programs';
import { itOn, someOf, tempFolder } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import type * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { debug, replay } from '../src/index.js';
import { chain } from './chain.js';
import { type RunOptions, watchedRun } from './watched-run.js';

const packages = fileURLToPath(new URL('../..', import.meta.url));

const MODEL = `
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { abs, add, log, mul, sqrt, square, sub } from '@tensorflow/tfjs-core';

export function makeModel() {
  return sequential({
    layers: ['first', 'second', 'third'].map((name, index) =>
      layers.dense({ name, units: 1, ...(index === 0 && { inputShape: [1] }) }),
    ),
  });
}
export const badLoss = (targets, outputs) => log(sub(outputs, 1e9));

// Finite everywhere, but its gradient is not where a target is 0.
export const kinkedLoss = (targets, outputs) =>
  add(square(sub(outputs, targets)), sqrt(add(mul(outputs, 0), abs(targets))));

// Random and stateful in all its ways.
export function makeRandomModel() {
  return sequential({
    layers: [
      layers.dense({ name: 'in', units: 16, inputShape: [4], activation: 'tanh', kernelRegularizer: 'l1l2' }),
      layers.dropout({ name: 'drop', rate: 0.5 }),
      layers.batchNormalization({ name: 'norm' }),
      layers.gaussianNoise({ name: 'noise', stddev: 0.3 }),
      layers.dense({ name: 'out', units: 1 }),
    ],
  });
}
`;

/** A project of a user's, outside of the workspace, with the packages of the workspace installed. */
async function project({ withHook = true } = {}): Promise<string> {
  const root = tempFolder();
  await mkdir(join(root, 'node_modules/@hookline'), { recursive: true });
  await writeFile(join(root, 'package.json'), '{ "type": "module" }');
  await writeFile(join(root, 'model.js'), MODEL);
  const tfjs = join(packages, 'hook-debug/node_modules/@tensorflow');
  await symlink(tfjs, join(root, 'node_modules/@tensorflow'));
  if (withHook) {
    const hook = join(root, 'node_modules/@hookline/hook-debug');
    await mkdir(hook);
    await writeFile(join(hook, 'package.json'), '{ "type": "module", "main": "index.js" }');
    const file = await bundledProgram(`export * from './src/index.ts';`, join(packages, 'hook-debug'));
    await copyFile(file, join(hook, 'index.js'));
  }
  return root;
}

async function hookline(cwd: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const cli = await bundledProgram(`import './src/cli/main.ts';`, join(packages, 'trainer'));
  // The scripts of package managers set NODE_PATH, which would find packages that the project does not have.
  const env = { ...process.env, NODE_PATH: '' };
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, ...args], { cwd, env }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });
}

/** Trains in the project until the loss is bad; returns the bundle, from the project's folder. */
async function bundleIn(root: string, options: Partial<RunOptions>): Promise<string> {
  const data = { xs: [[10]], ys: [[1]] };
  const { said } = await watchedRun([debug()], { data, runsDir: join(root, 'runs'), ...options });
  return relative(root, said[0]!.fields.bundle as string);
}

const MODEL_FLAG = ['--model', './model.js#makeModel', '--backend', 'cpu'];

test('hookline replay runs the step again in a process of its own and shows where it goes wrong', async () => {
  const root = await project();
  const bundle = await bundleIn(root, { model: chain([1, 3e38, 1]) });
  // Loss and backend are taken from the record of the run.
  const { code, out, err } = await hookline(root, 'replay', bundle, '--model', './model.js#makeModel');
  expect(err).toBe('');
  expect(code).toBe(1);
  expect(out).toContain('Step 0: epoch 1, batch 1 of loader "train"');
  expect(out).toMatch(/second +\[1, 1\] +1 infinite of 1 value, first at \[0, 0\] {2}<- first/);
  expect(out).toContain('loss       Infinity, as in the run');
});

// The command is another process, which does not have the packages of npm run native.
itOn('cpu').each(someOf(['wasm', 'cpu'], 1))(
  'on %s the replay has the loss of the run to the last bit, also with dropout and noise',
  async (backend) => {
    const root = await project();
    const module = (await import(pathToFileURL(join(root, 'model.js')).href)) as {
      makeRandomModel(): tfl.LayersModel;
      kinkedLoss(targets: tf.Tensor, outputs: tf.Tensor): tf.Tensor;
    };
    const losses: number[] = [];
    const recorder: Hook = { name: 'recorder', onTrainBatchEnd: (_ctx, { loss }) => void losses.push(loss!) };
    const rows = Array.from({ length: 64 }, (_, i) => [1, 2, 3, 4].map((k) => Math.sin(i * k + 1)));
    const { said } = await watchedRun([recorder, debug()], {
      model: module.makeRandomModel,
      loss: module.kinkedLoss,
      data: { xs: rows, ys: rows.map(([a], i) => [i === 43 ? 0 : a!]) },
      batchSize: 8,
      backend,
      runsDir: join(root, 'runs'),
    });
    const bundle = relative(root, said[0]!.fields.bundle as string);
    expect(bundle).toMatch(/debug.5$/);
    const flags = ['--model', './model.js#makeRandomModel', '--loss', './model.js#kinkedLoss'];
    const replayed = await hookline(root, 'replay', bundle, ...flags);
    expect(replayed.err).toBe('');
    const [, loss, verdict] = /^loss +(\S+), (.*)$/m.exec(replayed.out)!;
    expect(verdict).toBe('as in the run');
    expect(Number(loss)).toBe(losses[5]);
    expect(Number.isFinite(losses[5])).toBe(true);
    expect(replayed).toMatchObject({ code: 1, out: expect.stringContaining('gradients  in/kernel: ') });
    // Without the random numbers of the run the same step has another loss.
    const lossOf = (outputs: TensorTree, { ys }: Batch) =>
      module.kinkedLoss(ys as tf.Tensor, outputs as tf.Tensor);
    const other = await replay(join(root, bundle), { model: module.makeRandomModel, loss: lossOf });
    expect(other.text).toMatch(new RegExp(`^loss +\\S+, in the run ${losses[5]}$`, 'm'));
  },
);

test('the exit code says whether the step is fixed; the loss may be a function of the project', async () => {
  const root = await project();
  const loss = (_targets: tf.Tensor, outputs: tf.Tensor) => tf.log(tf.sub(outputs, 1e9));
  const bundle = await bundleIn(root, { loss });
  const broken = await hookline(root, 'replay', bundle, ...MODEL_FLAG, '--loss', './model.js#badLoss');
  expect(broken).toMatchObject({ code: 1, out: expect.stringContaining('look at the loss function') });
  const mended = await hookline(root, 'replay', bundle, ...MODEL_FLAG, '--loss', 'huber');
  expect(mended).toMatchObject({ code: 0, out: expect.stringContaining('Everything is finite.') });
});

test('what is missing is named with what to do', async () => {
  const root = await project({ withHook: false });
  expect(await hookline(root, 'replay', 'runs/x/debug/0', ...MODEL_FLAG)).toMatchObject({
    code: 1,
    err: expect.stringContaining('npm install @hookline/hook-debug'),
  });
  expect(await hookline(root, 'replay', 'runs/x/debug/0')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/--model is missing.*\n\nhookline replay <bundle> --model/),
  });
  expect(await hookline(root, 'replay', ...MODEL_FLAG)).toMatchObject({
    code: 2,
    err: expect.stringContaining('Which bundle? Name its folder.'),
  });
});
