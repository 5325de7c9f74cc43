import type { Hook } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { earlyStopping } from '../src/index.js';
import { checkpoints } from './saved-runs.js';
import { scriptedRun } from './scripted-run.js';

const LOSSES = [0.5, 0.2, 0.3, 0.4, 0.4, 0.1];

const FROM_CHECKPOINT = { patience: 3, restoreBest: 'checkpoint' } as const;

test('nothing is kept in memory, and the weights come back to the bit', async () => {
  const { hook, paths, saved } = checkpoints();
  const stopping = earlyStopping(FROM_CHECKPOINT);
  const run = scriptedRun(LOSSES, hook, stopping);
  await run.fit();
  expect(paths()).toEqual([
    'saved at 1 (early-stopping: best val/loss, 0.5)',
    'saved at 2 (early-stopping: best val/loss, 0.2)',
  ]);
  expect([...saved.values()].map(({ hooks }) => hooks)).toEqual([{}, {}]);
  expect(run.weight()).toBe(run.weightAfterEpoch[1]);
  expect(run.said()).toContain(
    'Restored the weights of epoch 2: val/loss 0.2, from saved at 2 (early-stopping: best val/loss, 0.2).',
  );
});

test('a resumed run finds the checkpoint again, also when it resumes from that very one', async () => {
  const keeper = checkpoints();
  const last: Hook = {
    name: 'last',
    onEpochEnd: (ctx, { epoch }) => (epoch === 2 ? ctx.requestCheckpoint('by the user') : undefined),
  };
  const whole = scriptedRun(LOSSES, keeper.hook, last, earlyStopping(FROM_CHECKPOINT));
  const { stopReason } = await whole.fit();
  for (const seen of [3, 2]) {
    // The newest of these is what `auto` finds: that of epoch 3, then the best itself.
    for (const path of keeper.paths().slice(seen)) keeper.saved.delete(path);
    const resumed = scriptedRun(LOSSES.slice(seen), keeper.hook, earlyStopping(FROM_CHECKPOINT));
    const result = await resumed.fit({ epochs: LOSSES.length, resume: 'auto' });
    expect(result.stopReason).toBe(stopReason);
    expect(resumed.weight()).toBe(whole.weightAfterEpoch[1]);
  }
});

test('when it was rotated away, one that is as good is taken, and nothing else', async () => {
  const fitWith = async (best: number | undefined) => {
    const keeper = checkpoints();
    const rotates: Hook = {
      name: 'rotates',
      onEpochEnd: (ctx, { epoch }) => (epoch > 1 ? ctx.requestCheckpoint(`epoch ${epoch}`) : undefined),
      onTrainEnd: () => {
        keeper.saved.delete(keeper.paths().find((path) => path.includes('best val/loss, 0.2'))!);
        keeper.setBest(best === undefined ? undefined : keeper.paths()[best]);
      },
    };
    // Not better by minDelta in epoch 3, and worse in epoch 4.
    const run = scriptedRun(
      [0.5, 0.2, 0.19999, 0.3, 0.3],
      rotates,
      keeper.hook,
      earlyStopping(FROM_CHECKPOINT),
    );
    await run.fit();
    return { said: run.said(), restored: run.weightAfterEpoch.lastIndexOf(run.weight()) };
  };
  const { restored: epoch, said: told } = await fitWith(1);
  expect(epoch).toBe(2);
  expect(told).toContain(
    'Restored weights as good as those of epoch 2: val/loss 0.2, from saved at 3 (epoch 2).',
  );
  for (const [best, reason] of [
    [2, /saved at 2 .* is gone; saved at 4 \(epoch 3\) is from step 4/],
    [undefined, /saved at 2 .* is gone\./],
  ] as const) {
    const { restored, said } = await fitWith(best);
    expect(restored).toBe(4);
    expect(said.filter((line) => line.includes('could not be restored'))).toEqual([
      expect.stringMatching(reason),
    ]);
    expect(said.join()).not.toContain('Restored');
  }
});

test('without a checkpoint hook a warning says so, and the weights are kept in memory', async () => {
  const run = scriptedRun(LOSSES, earlyStopping(FROM_CHECKPOINT));
  await run.fit();
  expect(run.weight()).toBe(run.weightAfterEpoch[1]);
  expect(run.said().filter((line) => line.includes('hook-checkpoint'))).toHaveLength(1);
});

test('a metric that JSON cannot hold is read back as it was: an infinity is as good as another', async () => {
  const keeper = checkpoints();
  const rotates: Hook = {
    name: 'rotates',
    onEpochEnd: (ctx, { epoch }) => (epoch === 2 ? ctx.requestCheckpoint('by the user') : undefined),
    onTrainEnd: () => {
      keeper.saved.delete(keeper.paths().find((path) => path.includes('best val/loss'))!);
      keeper.saved.delete(keeper.paths().find((path) => path.includes('Infinity'))!);
      keeper.setBest(keeper.paths().at(-1));
    },
  };
  const stopping = earlyStopping({ ...FROM_CHECKPOINT, mode: 'max', checkFinite: false });
  const run = scriptedRun([0.5, Infinity, Infinity, 0.3], rotates, keeper.hook, stopping);
  await run.fit();
  expect(keeper.paths()).toEqual(['saved at 3 (by the user)']);
  expect(run.weight()).toBe(run.weightAfterEpoch[2]);
});

test('a checkpoint whose metric was NaN is never taken for the best', async () => {
  const keeper = checkpoints();
  const rotates: Hook = {
    name: 'rotates',
    onEpochEnd: (ctx, { epoch }) => (epoch === 2 ? ctx.requestCheckpoint('by the user') : undefined),
    onTrainEnd: () => {
      for (const path of keeper.paths().slice(0, -1)) keeper.saved.delete(path);
      keeper.setBest(keeper.paths()[0]);
    },
  };
  const stopping = earlyStopping({ ...FROM_CHECKPOINT, checkFinite: false });
  const run = scriptedRun([0.5, 0.2, Number.NaN, 0.3], rotates, keeper.hook, stopping);
  await run.fit();
  expect(keeper.paths()).toEqual(['saved at 3 (by the user)']);
  expect(run.weight()).toBe(run.weightAfterEpoch[3]);
  expect(run.said().join()).toContain('could not be restored');
});
