import type { Hook, PhaseMark } from '@hookline/hook-api';
import { regression, regressor } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

const data = regression(8);

async function phasesOf(options: { accumulate?: number; needs?: Hook['needs'] } = {}) {
  const { accumulate = 1, needs = ['phases'] } = options;
  const batches: (readonly PhaseMark[] | undefined)[] = [];
  const steps: (readonly PhaseMark[] | undefined)[] = [];
  const profiler: Hook = {
    name: 'profiler',
    needs,
    onStepEnd: (_ctx, { phases }) => void steps.push(phases),
    onTrainBatchEnd: (_ctx, { phases }) => void batches.push(phases),
  };
  await quietTrainer({ model: regressor(), hooks: [profiler], accumulate }).fit({
    train: data,
    epochs: 1,
    batchSize: 2,
  });
  return { batches, steps };
}

const names = (marks: readonly PhaseMark[] | undefined) => [...new Set(marks?.map(({ phase }) => phase))];

test('a hook that needs phases learns when each part of the step began and ended', async () => {
  const { steps } = await phasesOf();
  expect(steps).toHaveLength(4);
  // The hook was not known before the first step began, so its wait for data is not in it.
  for (const marks of steps.slice(1))
    expect(names(marks)).toEqual(['data', 'transform', 'forward', 'backward', 'update']);
  for (const marks of steps) {
    for (const { start, end } of marks!) expect(end).toBeGreaterThanOrEqual(start);
    for (const [i, { start }] of marks!.slice(1).entries())
      expect(start).toBeGreaterThanOrEqual(marks![i]!.end);
  }
});

test('what hooks take is a phase of its own', async () => {
  const { batches } = await phasesOf();
  expect(names(batches[1])).toContain('hooks');
});

test('a step of two batches has the phases of both, and the next step begins with none', async () => {
  const { steps } = await phasesOf({ accumulate: 2 });
  const forwards = steps.map((marks) => marks!.filter(({ phase }) => phase === 'forward').length);
  expect(forwards).toEqual([2, 2]);
});

test('nothing is measured when nobody asks', async () => {
  const { batches, steps } = await phasesOf({ needs: [] });
  expect([...batches, ...steps].every((marks) => marks === undefined)).toBe(true);
});
