import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { thisProcess } from '@hookline/host';
import { expect, test } from 'vitest';
import { follow, type RunView } from '../src/index.js';
import { runFolder } from './run-folder.js';

const loss = (step: number, value = step) => ({ event: 'log', step, epoch: 0, metrics: { loss: value } });
const say = (folder: string, line: object) =>
  appendFileSync(join(folder, 'log.jsonl'), `${JSON.stringify(line)}\n`);
const record = (folder: string, content: object) =>
  writeFileSync(join(folder, 'run.json'), JSON.stringify(content));

/** Follows a run, does the next thing after each view, and ends after the last. */
async function followed(folder: string, ...acts: readonly (() => void)[]): Promise<RunView[]> {
  const ending = new AbortController();
  const views: RunView[] = [];
  for await (const view of follow(folder, { everyMs: 1, signal: ending.signal })) {
    const act = acts[views.length];
    // The series of a view grow with the next one.
    views.push({ ...view, series: new Map(view.series) });
    if (act) act();
    else ending.abort();
  }
  return views;
}

test('a folder that is still empty is a run of which nothing is known yet', async () => {
  const folder = runFolder();
  const views = await followed(
    folder,
    () => record(folder, { id: 'a', status: 'running' }),
    () => say(folder, loss(1)),
  );
  expect(views.map(({ status, series }) => [status, series.size])).toEqual([
    ['unknown', 0],
    ['running', 0],
    ['running', 1],
  ]);
  expect(views[0]!.id).toBe(basename(folder));
});

test('a run that is over is given once', async () => {
  const folder = runFolder({
    'run.json': { status: 'stopped', stopReason: 'enough', finishedAt: 'now' },
    'log.jsonl': [loss(1)],
  });
  const views: RunView[] = [];
  for await (const view of follow(folder, { everyMs: 1 })) views.push(view);
  expect(views.map(({ status, stopReason }) => [status, stopReason])).toEqual([['stopped', 'enough']]);
});

test('a run whose process is gone ends it', async () => {
  // The process of this number began at another time: it is not the one that trained.
  const folder = runFolder({
    'run.json': { status: 'running', process: { ...thisProcess(), start: 1 } },
  });
  const views: RunView[] = [];
  for await (const view of follow(folder, { everyMs: 1 })) views.push(view);
  expect(views.map(({ status }) => status)).toEqual(['died']);
});

test('what it continues becomes known later: its curve then begins with the earlier run', async () => {
  const folder = runFolder({
    'first/run.json': { id: 'first', status: 'error' },
    'first/log.jsonl': [
      { ...loss(1, 10), run: 'first' },
      { ...loss(2, 20), run: 'first' },
    ],
    'second/run.json': { id: 'second', status: 'running' },
    'second/log.jsonl': [
      { event: 'start', step: 1, epoch: 0, run: 'second' },
      { ...loss(2, 7), run: 'second' },
    ],
  });
  const second = join(folder, 'second');
  const views = await followed(second, () =>
    record(second, { id: 'second', status: 'running', resumedFrom: { run: 'first', step: 1 } }),
  );
  expect(views.map(({ earlier }) => earlier.map(({ id }) => id))).toEqual([[], ['first']]);
  expect([...views[1]!.series.get('loss')!.points().values]).toEqual([10, 7]);
  expect(views[1]!.resumes.map(({ step }) => step)).toEqual([1]);
});

test('a log that is removed and written again is read from its beginning', async () => {
  const folder = runFolder({ 'run.json': { status: 'running' }, 'log.jsonl': [loss(1), loss(2), loss(3)] });
  const views = await followed(folder, () => {
    rmSync(join(folder, 'log.jsonl'));
    say(folder, loss(1, 100));
  });
  expect([...views.at(-1)!.series.get('loss')!.points().values]).toEqual([100]);
});

test('the end of the signal ends it, also before the first view', async () => {
  const folder = runFolder({ 'run.json': { status: 'running' } });
  const views: RunView[] = [];
  for await (const view of follow(folder, { everyMs: 60_000, signal: AbortSignal.abort() })) views.push(view);
  expect(views.length).toBeLessThanOrEqual(1);
});
