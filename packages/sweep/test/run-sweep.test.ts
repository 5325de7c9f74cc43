import { join } from 'node:path';
import { errorOf, folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { Journal } from '../src/journal/journal.js';
import { takeJob } from '../src/journal/take-job.js';
import type { OpenSweep } from '../src/open-sweep.js';
import { runSweep, type SweepRunOptions } from '../src/run-sweep.js';
import { choice } from '../src/space.js';
import { type SweepConfig, sweepOf } from '../src/sweep-config.js';
import type { TrialEnd } from '../src/trial/start-trial.js';
import type { TrialTask } from '../src/trial/trial-task.js';

const folder = folderPerTest();

function open(config: Partial<SweepConfig> = {}): OpenSweep {
  const space = { x: choice(1, 2, 3) };
  const sweep = sweepOf({ space, search: 'grid', halving: { factor: 3 }, ...config }, 3);
  return { sweep, journal: new Journal(folder.in('sweep')), configFile: 'hookline.config.ts', workers: 1 };
}

/** Runs with trials that are functions: `train` is called with the task, and what it returns is how the trial ended. */
async function run(sweep: OpenSweep, train: Train, options: Partial<SweepRunOptions> = {}) {
  const ends: [number, TrialEnd][] = [];
  const results = await runSweep(sweep, {
    workers: 1,
    signal: new AbortController().signal,
    start: async (task) => train(task),
    onEnd: (job, end) => ends.push([job.trial, end]),
    ...options,
  });
  return { results, ends };
}

type Train = (task: TrialTask) => TrialEnd | Promise<TrialEnd>;

function reach(value: number): Train {
  return ({ epochs }) => ({ outcome: { value, epochs, steps: epochs * 4, seconds: 1, finished: false } });
}

test('every trial reaches the first rung, the best one the last, and each end is told as it comes', async () => {
  const { results, ends } = await run(open(), (task) => reach(1 / (task.point.x as number))(task));
  expect(ends.map(([trial]) => trial)).toEqual([0, 1, 2, 2]);
  expect(results.map(({ trial, status, epochs }) => [trial, status, epochs])).toEqual([
    [2, 'trained', 3],
    [1, 'stopped early', 1],
    [0, 'stopped early', 1],
  ]);
});

test('a sweep that is done does nothing when it is run again; more trials continue with it', async () => {
  await run(open({ trials: 2, halving: false }), reach(1));
  expect((await run(open({ trials: 2, halving: false }), reach(1))).ends).toEqual([]);
  const { ends } = await run(open({ halving: false }), reach(1));
  expect(ends.map(([trial]) => trial)).toEqual([2]);
});

test('a trial whose process disappears is tried three times, then it has failed, and the others continue', async () => {
  const { results, ends } = await run(open({ trials: 2, halving: false }), (task) =>
    task.point.x === 1 ? 'interrupted' : reach(1)(task),
  );
  expect(ends.filter(([trial]) => trial === 0).map(([, end]) => end)).toEqual([
    'interrupted',
    'interrupted',
    { error: 'its process was ended 3 times before it had a result; see output.log' },
  ]);
  expect(results.map(({ trial, status }) => [trial, status])).toEqual([
    [1, 'trained'],
    [0, 'failed'],
  ]);
});

test('when every trial fails, so does the sweep, with the first reason and where to look', async () => {
  const sweep = open({ halving: false });
  const error = await errorOf(() => run(sweep, ({ point }) => ({ error: `no data for ${point.x}` })));
  expect(error.code).toBe('SWEEP_FAILED');
  const log = join(sweep.journal.folder, 'trials', '0000', 'output.log');
  expect(error.message).toBe(`All 3 trials failed. The first one: no data for 1 (see ${log})`);
});

test('two workers have two trials at the same time, each one its own', async () => {
  // The first waits for the second, which would never come if there were one worker.
  const folders: string[] = [];
  let second = () => {};
  const both = new Promise<void>((resolve) => {
    second = resolve;
  });
  const meet: Train = async (task) => {
    if (folders.push(task.folder) === 2) second();
    await both;
    return reach(1)(task);
  };
  const { ends } = await run(open({ trials: 2, halving: false }), meet, { workers: 2 });
  expect(new Set(folders).size).toBe(2);
  expect(ends.map(([trial]) => trial).sort()).toEqual([0, 1]);
});

test('what others train is left to them: the sweep ends with what there is for it', async () => {
  const sweep = open({ halving: false });
  await takeJob(sweep.sweep, sweep.journal, 'queue');
  const { results, ends } = await run(sweep, reach(1));
  expect(ends.map(([trial]) => trial)).toEqual([1, 2]);
  expect(results.find(({ trial }) => trial === 0)!.status).toBe('training');
});

test('a trial that the end of the sweep interrupts has not failed, however often that happens', async () => {
  const sweep = open({ halving: false });
  for (let time = 0; time < 4; time++) {
    const ending = new AbortController();
    const { ends } = await run(
      sweep,
      () => {
        ending.abort();
        return 'interrupted';
      },
      { signal: ending.signal },
    );
    expect(ends).toEqual([[0, 'interrupted']]);
  }
  expect(sweep.journal.trials()).toMatchObject([{ interrupted: 0, failed: undefined }]);
});

test('a sweep that was ended before it began trains nothing', async () => {
  const ended = new AbortController();
  ended.abort();
  expect(await run(open(), reach(1), { signal: ended.signal })).toEqual({ results: [], ends: [] });
});
