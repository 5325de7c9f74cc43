import type { Hook, HookState, Snapshot } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { earlyStopping } from '../src/index.js';
import { scriptedRun } from './scripted-run.js';

const LOSSES = [0.5, 0.2, 0.3, 0.4, 0.4, 0.1];

test('the weights of the best epoch, to the bit, are there after the run was stopped', async () => {
  const run = scriptedRun(LOSSES, earlyStopping({ patience: 3, restoreBest: true }));
  await run.fit();
  expect(run.weightAfterEpoch).toHaveLength(5);
  expect(new Set(run.weightAfterEpoch).size).toBe(5);
  expect(run.weight()).toBe(run.weightAfterEpoch[1]);
  expect(run.said).toContain('Restored the weights of epoch 2: val/loss 0.2.');
});

test('they are there too when the run came to its own end', async () => {
  const run = scriptedRun([0.5, 0.2, 0.3], earlyStopping({ restoreBest: true }));
  expect((await run.fit()).status).toBe('completed');
  expect(run.weight()).toBe(run.weightAfterEpoch[1]);
});

test('a best that another hook ends the run at is kept', async () => {
  const stopper: Hook = {
    name: 'stopper',
    onValidationEnd: (ctx, { epoch }) => (epoch === 1 ? ctx.stop('good enough') : undefined),
  };
  const run = scriptedRun(LOSSES, stopper, earlyStopping({ restoreBest: true }));
  expect((await run.fit()).stopReason).toBe('good enough');
  expect(run.weight()).toBe(run.weightAfterEpoch[1]);
});

test('without restoreBest the last weights stay', async () => {
  const run = scriptedRun(LOSSES, earlyStopping({ patience: 3 }));
  await run.fit();
  expect(run.weight()).toBe(run.weightAfterEpoch[4]);
});

test('a run that fails keeps the weights it failed with', async () => {
  const failing: Hook = {
    name: 'failing',
    onError: 'fail',
    onEpochEnd: (_ctx, { epoch }) => {
      if (epoch === 3) throw new Error('broken');
    },
  };
  const run = scriptedRun(LOSSES, failing, earlyStopping({ patience: 3, restoreBest: true }));
  await expect(run.fit()).rejects.toThrow('broken');
  expect(run.weight()).toBe(run.weightAfterEpoch[3]);
});

test('test and validation after the run do not restore anything again', async () => {
  const run = scriptedRun([0.5, 0.2, 0.3, 9, 9], earlyStopping({ restoreBest: true }));
  await run.fit({ epochs: 3 });
  const said = run.said.length;
  await run.validate();
  expect(run.said.slice(said).filter((line) => line.includes('Restored'))).toEqual([]);
});

/** Saves everything after the given epoch, the way a checkpoint hook does. */
function saver(epochToSave: number): { hook: Hook; saved: () => Snapshot } {
  let snapshot: Snapshot | undefined;
  return {
    hook: {
      name: 'saver',
      async onEpochEnd(ctx, { epoch }) {
        if (epoch === epochToSave) snapshot = await ctx.snapshot();
      },
    },
    saved: () => snapshot!,
  };
}

/** Offers a snapshot to `resume`, the way a checkpoint hook does. */
function loader(snapshot: Snapshot): Hook {
  return {
    name: 'loader',
    setup(ctx) {
      ctx.provideCheckpoints({
        find: async () => ({ path: 'memory' }),
        load: async () => snapshot,
        save: async () => {},
      });
    },
  };
}

test('a resumed run counts on from where it was and still knows the best weights', async () => {
  const options = { patience: 3, restoreBest: true };
  const { hook, saved } = saver(2);
  const whole = scriptedRun(LOSSES, hook, earlyStopping(options));
  const expected = await whole.fit();

  const resumed = scriptedRun(LOSSES.slice(3), loader(saved()), earlyStopping(options));
  const result = await resumed.fit({ epochs: LOSSES.length, resume: 'auto' });
  expect(result.stopReason).toBe(expected.stopReason);
  expect(resumed.weightAfterEpoch).toEqual(whole.weightAfterEpoch.slice(3));
  expect(resumed.weight()).toBe(whole.weight());
});

test('the saved state is plain JSON beside the tensors, infinities included', () => {
  const hook = earlyStopping({ checkFinite: false });
  const state: HookState = { best: '-Infinity', bestEpoch: 4, wait: 2, stoppedEpoch: null };
  hook.loadState!(state);
  expect(JSON.parse(JSON.stringify(hook.saveState!()))).toEqual(state);
});

test('a saved state that is not its own is refused', () => {
  expect(() => earlyStopping().loadState!({ loss: 3 })).toThrow(
    /not its own.*\{ best, bestEpoch, wait, stoppedEpoch \}/,
  );
});
