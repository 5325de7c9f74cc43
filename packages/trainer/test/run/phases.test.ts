import type { Hook, HookContext, PhaseMark } from '@hookline/hook-api';
import { regression, regressor } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

const data = regression(8);

interface Asked {
  /** What the hook was given at the start of each step, and when it was torn down. */
  readonly steps: (readonly PhaseMark[])[];
  readonly all: PhaseMark[];
  failure: unknown;
}

/** A run of four steps with a hook that asks for phases. */
async function phasesOf(
  options: { accumulate?: number; needs?: Hook['needs']; hooks?: Hook[]; validation?: boolean } = {},
): Promise<Asked> {
  const { accumulate = 1, needs = ['phases'], hooks = [], validation = false } = options;
  const asked: Asked = { steps: [], all: [], failure: undefined };
  const ask = (ctx: HookContext) => {
    const marks = ctx.phases();
    asked.steps.push(marks);
    asked.all.push(...marks);
  };
  const asker: Hook = { name: 'asker', needs, onStepStart: ask, teardown: ask };
  await quietTrainer({ model: regressor(), hooks: [asker, ...hooks], accumulate })
    .fit({ train: data, epochs: 1, batchSize: 2, ...(validation && { validation: data }) })
    .catch((error: unknown) => {
      asked.failure = error;
    });
  return asked;
}

const names = (marks: readonly PhaseMark[]) => new Set(marks.map(({ phase }) => phase));

/** Keeps the processor busy. */
function burn(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

function timeOf(marks: readonly PhaseMark[], isMeant: (mark: PhaseMark) => boolean): number {
  return marks.filter(isMeant).reduce((sum, { start, end }) => sum + end - start, 0);
}

test('a hook that needs phases learns what each step spent its time on', async () => {
  const { steps } = await phasesOf();
  expect(steps).toHaveLength(5);
  expect(names(steps[0]!)).toEqual(new Set(['setup', 'data', 'other', 'read']));
  for (const marks of steps.slice(1, 4))
    expect([...names(marks)]).toEqual(
      expect.arrayContaining(['data', 'transform', 'forward', 'backward', 'metrics', 'update', 'other']),
    );
});

test('every moment of a run belongs to one phase', async () => {
  const { all } = await phasesOf({ validation: true, accumulate: 2 });
  expect(all.length).toBeGreaterThan(20);
  expect(all.every(({ start, end }) => end > start)).toBe(true);
  expect(all.slice(1).map(({ start }) => start)).toEqual(all.slice(0, -1).map(({ end }) => end));
});

test('what each hook takes has its name and its event, wherever it is called', async () => {
  const busy: Hook = {
    name: 'busy',
    onForward: () => burn(1),
    onTrainBatchReady: () => burn(1),
    transformGradients: () => void burn(1),
    async onTrainBatchEnd() {
      await new Promise((resolve) => setTimeout(resolve, 2));
    },
    teardown: () => burn(1),
  };
  const idle: Hook = { name: 'idle', onTrainBatchEnd: () => {} };
  const { all } = await phasesOf({ hooks: [idle, busy] });
  const ofBusy = all.filter(({ hook }) => hook === 'busy');
  const called = new Set(ofBusy.map(({ phase, event }) => `${phase} ${event}`));
  expect(called).toEqual(
    new Set([
      'hooks onTrainBatchReady',
      'hooks onForward',
      'transform transformGradients',
      'hooks onTrainBatchEnd',
      'hooks teardown',
    ]),
  );
  expect(timeOf(ofBusy, ({ event }) => event === 'onTrainBatchEnd')).toBeGreaterThan(2);
  expect(timeOf(all, ({ hook }) => hook === 'idle')).toBeLessThan(timeOf(all, ({ hook }) => hook === 'busy'));
});

test('validation and checkpoints are phases', async () => {
  const saves: Hook = {
    name: 'saves',
    setup: (ctx) =>
      ctx.provideCheckpoints({
        find: async () => undefined,
        load: async () => ({ version: 1, model: {} }),
        save: async () => burn(1),
      }),
    onEpochEnd: (ctx) => ctx.requestCheckpoint('now'),
  };
  const { all } = await phasesOf({ hooks: [saves], validation: true });
  expect([...names(all)]).toEqual(expect.arrayContaining(['validation', 'checkpoint']));
  expect(timeOf(all, ({ phase }) => phase === 'checkpoint')).toBeGreaterThan(0.9);
});

test('a step of two batches has the marks of both', async () => {
  const { steps } = await phasesOf({ accumulate: 2 });
  const forwards = steps.map((marks) => marks.filter(({ phase }) => phase === 'forward').length);
  expect(forwards).toEqual([0, 2, 2]);
});

test('a hook that fails the run, in its method or later, leaves the clock as it was before', async () => {
  const failing = (fail: NonNullable<Hook['onTrainBatchEnd']>): Hook => ({
    name: 'failing',
    onError: 'fail',
    onTrainBatchEnd: fail,
    onException: () => burn(1),
  });
  const thrown = failing(() => {
    throw new Error('broken');
  });
  const rejected = failing(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    throw new Error('broken');
  });
  for (const hook of [thrown, rejected]) {
    const { all, failure } = await phasesOf({ hooks: [hook] });
    expect(failure).toMatchObject({ message: 'broken' });
    // Whatever follows the failure is not counted as the hook's, except its own onException.
    const last = all.findLastIndex(({ hook, event }) => hook === 'failing' && event !== 'onException');
    const after = all.slice(last + 1);
    expect(after.map(({ phase }) => phase)).toContain('other');
    expect(new Set(after.filter(({ phase }) => phase === 'hooks').map(({ event }) => event))).toEqual(
      new Set(['onException']),
    );
  }
});

test('a hook that fails and is isolated does not take the time of the next one', async () => {
  const failing: Hook = {
    name: 'failing',
    onTrainBatchEnd: () => {
      throw new Error('broken');
    },
  };
  let burnt = 0;
  const next: Hook = {
    name: 'next',
    onTrainBatchEnd: () => {
      burn(2);
      burnt += 2;
    },
  };
  const { all } = await phasesOf({ hooks: [failing, next] });
  expect(burnt).toBeGreaterThan(0);
  expect(timeOf(all, ({ hook }) => hook === 'next')).toBeGreaterThanOrEqual(burnt);
});

test('two hooks that ask both get all marks, and neither can spoil those of the other', async () => {
  const seen: PhaseMark[] = [];
  const second: Hook = {
    name: 'second',
    needs: ['phases'],
    onTrainEnd(ctx) {
      const marks = ctx.phases();
      seen.push(...marks.map((mark) => ({ ...mark })));
      for (const mark of marks) Object.assign(mark, { end: 0 });
    },
  };
  const { all } = await phasesOf({ hooks: [second] });
  expect(seen.length).toBeGreaterThan(20);
  expect(all.slice(0, seen.length)).toEqual(seen);
});

test('nothing is measured when nobody asks', async () => {
  const { all } = await phasesOf({ needs: [] });
  expect(all).toEqual([]);
});

test('a clock appears with a hook that is added, and goes with it', async () => {
  const marks: PhaseMark[] = [];
  let isTimed: boolean[] = [];
  const late: Hook = {
    name: 'late',
    needs: ['phases'],
    onTrainBatchEnd: (ctx) => void marks.push(...ctx.phases()),
  };
  const trainer = quietTrainer({ model: regressor() });
  trainer.addHook({
    name: 'switch',
    onTrainBatchStart(ctx, { batchIndex }) {
      isTimed = [...isTimed, ctx.enter !== undefined];
      if (batchIndex === 0) trainer.addHook(late);
      if (batchIndex === 2) trainer.removeHook('late');
    },
  });
  await trainer.fit({ train: data, epochs: 1, batchSize: 1 });
  expect(isTimed).toEqual([false, true, true, false, false, false, false, false]);
  expect(names(marks)).toContain('backward');
  expect(names(marks)).not.toContain('setup');
});
