import type { Hook } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { type EarlyStoppingOptions, earlyStopping } from '../src/index.js';
import { loader, saver } from './saved-runs.js';
import { scriptedRun } from './scripted-run.js';

/** As a list of hooks makes them: the factory's hook under a name of the user's choice. */
function named(name: string, options: EarlyStoppingOptions): Hook {
  return Object.defineProperty(earlyStopping(options), 'name', { value: name });
}

/** Logs a score that peaks in the second epoch. */
const score = (): Hook => ({
  name: 'score',
  onValidationEnd: (ctx, { epoch }) => ctx.log({ 'my/points': [1, 9, 2, 3, 4, 5][epoch]! }),
});

const onLoss = (patience: number) => named('stop-on-loss', { patience });
const onScore = (patience: number, options: EarlyStoppingOptions = {}) =>
  named('stop-on-score', { monitor: 'my/points', mode: 'max', patience, ...options });

test('of two in one run, the one that stops it is named in the reason', async () => {
  const losses = [0.6, 0.5, 0.4, 0.3, 0.3, 0.3];
  const byScore = scriptedRun(losses, score(), onLoss(2), onScore(2));
  expect((await byScore.fit()).stopReason).toBe(
    'stop-on-score: my/points did not improve by 0.0001 for 2 checks; best 9 at epoch 2',
  );
  const byLoss = scriptedRun(losses, score(), onLoss(2), onScore(100));
  expect((await byLoss.fit()).stopReason).toBe(
    'stop-on-loss: val/loss did not improve by 0.0001 for 2 checks; best 0.3 at epoch 4',
  );
});

test('each has its own state in a checkpoint, and a resumed run continues with both', async () => {
  const losses = [0.6, 0.5, 0.5, 0.5, 0.5, 0.5];
  const hooks = () => [score(), onLoss(100), onScore(4)];
  const { hook, saved } = saver(2);
  const whole = scriptedRun(losses, hook, ...hooks());
  const expected = await whole.fit();
  expect(saved().state!.hooks).toMatchObject({
    'stop-on-loss': { state: { best: 0.5, bestEpoch: 1, wait: 1 } },
    'stop-on-score': { state: { best: 9, bestEpoch: 1, wait: 1 } },
  });
  const resumed = scriptedRun(losses.slice(3), loader(saved()), ...hooks());
  const result = await resumed.fit({ epochs: losses.length, resume: 'auto' });
  expect(result.stopReason).toBe(expected.stopReason);
  expect(result.stopReason).toMatch(/^stop-on-score: .* for 4 checks/);
});

test('where both bring back their best weights, those of the first in the list stay', async () => {
  const losses = [0.6, 0.5, 0.4, 0.5, 0.5, 0.5];
  const options = { patience: 100, restoreBest: true };
  const run = scriptedRun(losses, score(), onScore(100, options), named('stop-on-loss', options));
  await run.fit();
  expect(run.weight()).toBe(run.weightAfterEpoch[1]);
  expect(run.said().filter((line) => line.startsWith('Restored'))).toEqual([
    'Restored the weights of epoch 3: val/loss 0.4.',
    'Restored the weights of epoch 2: my/points 9.',
  ]);
});

test('warnings and errors name the one that they are about', async () => {
  const waiting = scriptedRun([0.5], named('waits', { monitor: 'my/points', strict: false, mode: 'max' }));
  await waiting.fit();
  expect(waiting.said()).toContainEqual(expect.stringMatching(/^waits monitors "my\/points"/));
  const without = scriptedRun([], named('idle', {}));
  await without.fit({ epochs: 1, validation: false });
  expect(without.said()).toContainEqual(expect.stringMatching(/^idle checks "val\/loss" after validation/));
  const memory = scriptedRun([0.5], named('keeper', { restoreBest: 'checkpoint' }));
  await memory.fit();
  expect(memory.said()).toContainEqual(expect.stringMatching(/^keeper has the option restoreBest/));
  const strict = scriptedRun([0.5], named('strict-one', { monitor: 'val/los' }));
  await expect(strict.fit()).rejects.toThrow(/^strict-one monitors "val\/los"/);
  expect(() => named('mine', {}).loadState!({ loss: 3 })).toThrow(/Hook "mine"/);
});
