import type { Hook } from '@hookline/hook-api';
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
  expect(run.said()).toContain('Restored the weights of epoch 2: val/loss 0.2.');
});

test('they are there too when the run completed all its epochs', async () => {
  const run = scriptedRun([0.5, 0.2, 0.3], earlyStopping({ restoreBest: true }));
  expect((await run.fit()).status).toBe('completed');
  expect(run.weight()).toBe(run.weightAfterEpoch[1]);
});

test('the best weights are kept when another hook stops the run right then', async () => {
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

test('a validation after the run does not restore anything again', async () => {
  const run = scriptedRun([0.5, 0.2, 0.3, 9, 9], earlyStopping({ restoreBest: true }));
  await run.fit({ epochs: 3 });
  const said = run.said().length;
  await run.validate();
  expect(
    run
      .said()
      .slice(said)
      .filter((line) => line.includes('Restored')),
  ).toEqual([]);
});
