import type { HookState } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { earlyStopping } from '../src/index.js';
import { loader, saver } from './saved-runs.js';
import { scriptedRun } from './scripted-run.js';

const LOSSES = [0.5, 0.2, 0.3, 0.4, 0.4, 0.1];

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
