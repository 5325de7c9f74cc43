import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRuns, follow, type RunView } from '@hookline/run-view';
import { samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { jsonLog } from '../../src/index.js';

const folder = folderPerTest();

test('whoever follows a run sees its curve grow, and stops when it is over', async () => {
  const seen: { status: string; points: number }[] = [];
  let following: Promise<void> | undefined;
  const watch = async (dir: string): Promise<void> => {
    for await (const view of follow(dir, { everyMs: 1 })) {
      seen.push({ status: view.status, points: view.series.get('batch/loss')?.length ?? 0 });
    }
  };
  const { trainer } = tinyRun(
    [
      jsonLog({ every: 1 }),
      {
        name: 'watcher',
        onTrainStart: (ctx) => {
          following = watch(ctx.run.dir!);
        },
        // As long as it takes to be seen: the test waits for what it is about, not for a time.
        async onEpochEnd() {
          const before = seen.at(-1)?.points ?? 0;
          while ((seen.at(-1)?.points ?? 0) <= before) await new Promise(setImmediate);
        },
      },
    ],
    { runsDir: folder.path },
  );
  await trainer.fit({ train: samples(32), epochs: 4, batchSize: 8 });
  await following;
  expect(seen.at(-1)).toEqual({ status: 'completed', points: 16 });
  expect(seen.slice(0, -1).some(({ status, points }) => status === 'running' && points > 0)).toBe(true);
});

test('a line appears when it is whole, and a log that was replaced is read from its start', async () => {
  const dir = folder.in('run');
  mkdirSync(dir);
  const log = join(dir, 'log.jsonl');
  const point = (step: number) =>
    `${JSON.stringify({ event: 'log', step, epoch: 0, metrics: { a: step } })}\n`;
  writeFileSync(log, `${point(1)}${point(2).slice(0, 10)}`);
  const views = follow(dir, { everyMs: 1 });
  const valuesOf = (view: RunView) => [...view.series.get('a')!.points().values];
  const next = async () => valuesOf((await views.next()).value as RunView);
  expect(await next()).toEqual([1]);
  appendFileSync(log, point(2).slice(10));
  expect(await next()).toEqual([1, 2]);
  writeFileSync(log, point(7));
  expect(await next()).toEqual([7]);
  await views.return();
});

test('the runs of a folder are found, and a run is found in itself', async () => {
  for (const name of ['b', 'a', 'not-a-run']) mkdirSync(folder.in(name));
  for (const name of ['b', 'a']) writeFileSync(folder.in(name, 'run.json'), '{}');
  expect(await findRuns(folder.path)).toEqual([folder.in('a'), folder.in('b')]);
  expect(await findRuns(folder.in('a'))).toEqual([folder.in('a')]);
  expect(await findRuns(folder.in('nowhere'))).toEqual([]);
});
