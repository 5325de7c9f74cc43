import type { Hook } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { memoryCheckpoint } from '../src/index.js';
import { trial } from '../src/trial/trial.js';

const counting = () => {
  const epochs: number[] = [];
  const hook: Hook = { name: 'counts', onEpochStart: (_ctx, { epoch }) => void epochs.push(epoch) };
  return { epochs, hook };
};

test('a run that resumes from it ends with the bits of one that was never interrupted', async () => {
  for (const when of [{ epoch: 0 }, { epoch: 0, batch: 1 }, { epoch: 1, batch: 0 }]) {
    const checkpoint = memoryCheckpoint();
    const whole = await trial([checkpoint.saves(when)]);
    const resumed = await trial([checkpoint.resumes], { fit: { resume: 'auto' } });
    expect(resumed.weights).toEqual(whole.weights);
  }
});

test('the epochs before it are not trained again', async () => {
  const checkpoint = memoryCheckpoint();
  await trial([checkpoint.saves({ epoch: 0 })]);
  const { epochs, hook } = counting();
  await trial([checkpoint.resumes, hook], { fit: { resume: 'auto' } });
  expect(epochs).toEqual([1]);
});

test('it is taken once: the first time that its moment comes', async () => {
  const checkpoint = memoryCheckpoint();
  await trial([checkpoint.saves({ batch: 1 })]);
  const { epochs, hook } = counting();
  const { history } = await trial([checkpoint.resumes, hook], { fit: { resume: 'auto' } });
  // From the second batch of the first epoch, not of the second.
  expect(history).toHaveLength(2);
  expect(epochs).toContain(1);
});

test('what is saved is a copy by way of JSON: a hook cannot pass itself its own objects', async () => {
  const checkpoint = memoryCheckpoint();
  const kept = { seen: [1] };
  const loaded: unknown[] = [];
  const hook: Hook = {
    name: 'keeps',
    saveState: () => kept,
    loadState: (state) => void loaded.push(state),
  };
  await trial([hook, checkpoint.saves({ epoch: 0 })]);
  kept.seen.push(2);
  await trial([hook, checkpoint.resumes], { fit: { resume: 'auto' } });
  expect(loaded).toEqual([{ seen: [1] }]);
});
