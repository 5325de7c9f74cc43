import type { Hook, Snapshot } from '@hookline/hook-api';
import { errorOf, regression, regressor, weightsOf } from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import type { OptimizerOption } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

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
        { name: 'bias', lr: 0.05, lrScale: 0.25, weightDecay: 0.1 },
        { name: 'default', lr: 0.05, lrScale: 1, momentum: 0.9 },
      ],
    ]);
  });

  test('a restored group has its numbers again, wherever it is in the list', async () => {
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

  test('a group that no longer exists is a mismatch', async () => {
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
