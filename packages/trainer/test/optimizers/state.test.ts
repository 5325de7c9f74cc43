import type { Hook, HostTensor, Snapshot } from '@hookline/hook-api';
import { errorOf, regression, regressor, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { drive, GRADIENTS } from '../../../optimizers/test/drive.js';
import { type OptimizerOption, type OptimizerSpec, selectBackend } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const cases: [string, OptimizerSpec, string[]][] = [
  ['sgd', { name: 'sgd', lr: 0.1, momentum: 0.9 }, ['velocity']],
  ['adam', 'adam', ['m', 'v']],
  ['adamw', 'adamw', ['m', 'v']],
  ['rmsprop', { name: 'rmsprop', centered: true, momentum: 0.9 }, ['square', 'mean', 'velocity']],
  ['adagrad', { name: 'adagrad', initialAccumulator: 0.1 }, ['sum']],
  ['adadelta', 'adadelta', ['square', 'delta']],
  ['lion', 'lion', ['m']],
];

describe.each(['cpu', 'wasm'])('on %s', (backend) => {
  beforeAll(() => selectBackend({ backend, root: '.' }));

  test.each(cases)('%s goes on to the bit from its saved state', async (_name, spec, slots) => {
    const whole = drive(spec);
    whole.step(GRADIENTS.slice(0, 20));
    const saved = await whole.optimizer.saveState();
    const weights = whole.values();
    whole.step(GRADIENTS.slice(20));

    expect(Object.keys(saved)).toEqual(['step', ...slots.map((slot) => `layer/kernel/${slot}`)]);
    const resumed = drive(spec, weights);
    resumed.optimizer.loadState(saved);
    resumed.step(GRADIENTS.slice(20));
    expect(resumed.values()).toEqual(whole.values());
    const forgetful = drive(spec, weights);
    forgetful.step(GRADIENTS.slice(20));
    expect(forgetful.values()).not.toEqual(whole.values());
  });

  test.each(cases)('%s knows which saved tensors are its own', async (_name, spec) => {
    const { optimizer, step } = drive(spec);
    step(GRADIENTS.slice(0, 1));
    const saved = await optimizer.saveState();
    for (const [name, tensor] of Object.entries(saved)) expect(optimizer.fits(name, tensor)).toBe(true);
    const [, [name, tensor]] = Object.entries(saved) as [unknown, [string, HostTensor]];
    expect(optimizer.fits(name, { ...tensor, shape: [4] })).toBe(false);
    expect(optimizer.fits(`other/${name}`, tensor)).toBe(false);
    expect(optimizer.fits('layer/kernel/nothing', tensor)).toBe(false);
  });

  test.each(cases)('%s lets go of its tensors when another state is loaded', async (_name, spec) => {
    const { optimizer, step } = drive(spec);
    step(GRADIENTS.slice(0, 2));
    const before = tf.memory().numTensors;
    await optimizer.loadState(await optimizer.saveState());
    expect(tf.memory().numTensors).toBe(before);
  });
});

describe('with groups', () => {
  const optimizer: OptimizerOption = {
    name: 'sgd',
    lr: 0.05,
    momentum: 0.9,
    groups: [
      { params: '**/bias', momentum: 0, weightDecay: 0.1 },
      { params: 'out/kernel', frozen: true },
    ],
  };
  const FIT = { train: regression(8), epochs: 2, batchSize: 4 };

  async function run(option: OptimizerOption, act: Partial<Hook>): Promise<number[][]> {
    const model = regressor();
    const hook: Hook = { name: 'actor', onError: 'fail', ...act };
    await quietTrainer({ model, optimizer: option, hooks: [hook], seed: 3 }).fit(FIT);
    return weightsOf(model);
  }

  async function snapshotOf(option: OptimizerOption): Promise<Snapshot> {
    let snapshot: Snapshot | undefined;
    await run(option, {
      onTrainEnd: async (ctx) => {
        ctx.state.optimizers[0]!.groups[0]!.lrScale = 0.25;
        snapshot = await ctx.snapshot();
      },
    });
    return snapshot!;
  }

  test('a snapshot holds the state of each parameter by path, and of each group by name', async () => {
    const snapshot = await snapshotOf(optimizer);
    expect(Object.keys(snapshot.optimizer!)).toEqual(['0/step', '0/hidden/kernel/velocity']);
    expect(snapshot.state!.optimizers).toEqual([
      [
        { name: 'bias', lr: 0.05, lrScale: 0.25, momentum: 0, weightDecay: 0.1 },
        { name: 'default', lr: 0.05, lrScale: 1, momentum: 0.9 },
      ],
    ]);
  });

  test('a restored group has its numbers again, wherever it is in the list now', async () => {
    const snapshot = await snapshotOf(optimizer);
    let scales: unknown;
    const turned: OptimizerOption = {
      name: 'sgd',
      lr: 0.05,
      momentum: 0.9,
      groups: [
        { params: 'out/kernel', frozen: true },
        { params: '**/kernel', name: 'default2' },
        { params: '**/bias', momentum: 0, weightDecay: 0.1 },
      ],
    };
    await run(turned, {
      onInit: async (ctx) => {
        await ctx.restore(snapshot, { strict: false });
        scales = ctx.state.optimizers[0]!.groups.map(({ name, lrScale }) => [name, lrScale]);
      },
    });
    expect(scales).toEqual([
      ['default2', 1],
      ['bias', 0.25],
    ]);
  });

  test('a group that is not there any more is a difference', async () => {
    const snapshot = await snapshotOf(optimizer);
    const error = await errorOf(
      run(
        { name: 'sgd', lr: 0.05, momentum: 0.9 },
        { onInit: async (ctx) => void (await ctx.restore(snapshot)) },
      ),
    );
    expect(error.code).toBe('CHECKPOINT_MISMATCH');
    expect(error.message).toContain('optimizer 0 group "bias": no such group here');
  });
});
