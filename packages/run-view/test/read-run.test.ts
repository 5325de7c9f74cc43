import { appendFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findRuns, follow, type RunView, readRun, ViewBuilder } from '../src/index.js';
import { runFolder } from './run-folder.js';

const RECORD = {
  id: '20260101-120000-abcdef',
  status: 'completed',
  startedAt: '2026-01-01T12:00:00.000Z',
  finishedAt: '2026-01-01T12:01:00.000Z',
  durationMs: 60_000,
  seed: 3,
  backend: { name: 'wasm', device: 'cpu' },
  git: { commit: 'abc', dirty: true },
  model: { params: 65, layers: [{ path: 'in', kind: 'Dense', shape: '[2, 4]', parameters: 12 }] },
  versions: { node: '20', odd: 7 },
  hooks: [{ name: 'progress', package: '@hookline/hook-progress', version: '1.0.0', enabled: true }],
  hookCosts: [{ name: 'progress', calls: 5, milliseconds: 2.5 }],
  best: { metric: 'val/loss', value: 'Infinity', epoch: 2 },
  metrics: { 'val/loss': 0.5 },
};
const loss = (step: number, value: number) => ({ event: 'log', step, metrics: { loss: value } });

test('a run is its record, its log and what stands beside them', async () => {
  const profile = { verdict: 'all is well', phases: [{ name: 'data', seconds: 1, share: 0.5 }, 7] };
  const confusion = {
    epoch: 1,
    samples: 3,
    counts: [
      [1, 0],
      [1, 1],
    ],
  };
  const folder = runFolder({
    'run.json': RECORD,
    'log.jsonl': [loss(1, 3), loss(2, 2)],
    'profile.json': profile,
    'confusion.json': confusion,
  });
  const view = await readRun(folder);
  expect(view).toMatchObject({
    folder,
    id: RECORD.id,
    status: 'completed',
    durationMs: 60_000,
    backend: 'wasm',
    device: 'cpu',
    commit: 'abc',
    isDirty: true,
    parameters: 65,
    layers: [{ path: 'in', kind: 'Dense', shape: '[2, 4]', parameters: 12 }],
    versions: { node: '20' },
    hooks: [{ name: 'progress', isOn: true, calls: 5, milliseconds: 2.5 }],
    best: { metric: 'val/loss', value: Infinity, epoch: 2 },
    metrics: { 'val/loss': 0.5 },
    confusion,
    skippedLines: 0,
  });
  expect(view.series.get('loss')!.latest).toBe(2);
  expect(view.profile!.phases).toEqual([
    { name: 'data', seconds: 1, share: 0.5 },
    { name: '', seconds: 0, share: 0 },
  ]);
});

test('an empty folder, and one that is not there, is a run of which nothing is known', async () => {
  const folder = runFolder();
  for (const path of [folder, join(folder, 'none')]) {
    const view = await readRun(path);
    expect(view).toMatchObject({
      id: basename(path),
      status: 'unknown',
      epochs: [],
      hooks: [],
      skippedLines: 0,
    });
  }
});

test.each([
  ['torn', '{"id": "a", "sta'],
  ['a list', '[1, 2]'],
  ['null', 'null'],
  ['of wrong types', { id: 7, status: 5, hooks: {}, model: 'x', git: 1, best: [], metrics: 'm', seed: '3' }],
])('a record that is %s costs what it cannot say, not the view', async (_what, record) => {
  const view = await readRun(runFolder({ 'run.json': record, 'log.jsonl': [loss(1, 3)] }));
  expect(view).toMatchObject({ status: 'unknown', hooks: [], layers: [], metrics: {} });
  expect([view.seed, view.best]).toEqual([undefined, undefined]);
  expect(view.series.get('loss')!.latest).toBe(3);
});

test('lines that are not of a log are counted, empty ones and a torn last one are not', async () => {
  const log = `${JSON.stringify(loss(1, 3))}\nnonsense\n\n{"event":7}\n[]\n{"event":"log","st`;
  const view = await readRun(runFolder({ 'run.json': RECORD, 'log.jsonl': log }));
  expect(view.skippedLines).toBe(3);
  expect(view.series.get('loss')!.length).toBe(1);
});

describe('how it ended', () => {
  const ended = { event: 'end', status: 'stopped', stopReason: 'enough', seconds: 4 };
  const nobody = { host: 'here', pid: 1, boot: 'another', started: 'then' };

  test('the log knows it where the record still says that it runs', async () => {
    const view = await readRun(runFolder({ 'run.json': { status: 'running' }, 'log.jsonl': [ended] }));
    expect(view).toMatchObject({ status: 'stopped', stopReason: 'enough', durationMs: 4000 });
  });

  test('the record is believed where it has an end', async () => {
    const view = await readRun(runFolder({ 'run.json': RECORD, 'log.jsonl': [ended] }));
    expect([view.status, view.stopReason, view.durationMs]).toEqual(['completed', undefined, 60_000]);
  });

  test('a mark of a process that makes no sense breaks nothing', async () => {
    for (const process of [7, 'x', null, {}, nobody]) {
      const { status } = await readRun(runFolder({ 'run.json': { status: 'running', process } }));
      expect(['running', 'died']).toContain(status);
    }
  });
});

test('for a run without a log, what a hook has collected stands in', async () => {
  const fallback = new ViewBuilder();
  fallback.add(loss(1, 9));
  const without = await readRun(runFolder({ 'run.json': RECORD }), { fallback });
  expect(without.series.get('loss')!.latest).toBe(9);
  const withLog = await readRun(runFolder({ 'run.json': RECORD, 'log.jsonl': [loss(1, 3)] }), { fallback });
  expect(withLog.series.get('loss')!.latest).toBe(3);
});

test.each([
  ['rows of different lengths', { epoch: 1, samples: 2, counts: [[1], [1, 2]] }],
  ['text for a count', { epoch: 1, samples: 2, counts: [['1']] }],
  ['no classes', { epoch: 1, samples: 2, counts: [] }],
  ['more classes than can be shown', { epoch: 1, samples: 2, counts: Array(101).fill(Array(101).fill(0)) }],
])('a confusion with %s is left out', async (_what, confusion) => {
  expect((await readRun(runFolder({ 'confusion.json': confusion }))).confusion).toBeUndefined();
});

test('the runs of a folder are those with a record, the newest last; a run is its own', async () => {
  const folder = runFolder({ 'b/run.json': {}, 'a/run.json': {}, 'c/other.json': {}, 'run.txt': '' });
  expect(await findRuns(folder)).toEqual([join(folder, 'a'), join(folder, 'b')]);
  expect(await findRuns(join(folder, 'a'))).toEqual([join(folder, 'a')]);
  expect(await findRuns(join(folder, 'none'))).toEqual([]);
});

describe('following a run', () => {
  test('gives its view at once, again when the log grows, and ends with the run', async () => {
    const folder = runFolder({ 'run.json': { status: 'running' }, 'log.jsonl': [loss(1, 3)] });
    const seen: [string, number][] = [];
    for await (const view of follow(folder, { everyMs: 1 })) {
      seen.push([view.status, view.series.get('loss')!.length]);
      // A line that is being written is taken when it is whole.
      if (seen.length === 1)
        appendFileSync(join(folder, 'log.jsonl'), `${JSON.stringify(loss(2, 2))}\n{"event"`);
      if (seen.length === 2)
        appendFileSync(join(folder, 'log.jsonl'), `:"log","step":3,"metrics":{"loss":1}}\n`);
      if (seen.length === 3) endOf(folder);
    }
    expect(seen.slice(0, 3)).toEqual([
      ['running', 1],
      ['running', 2],
      ['running', 3],
    ]);
    expect(seen.at(-1)).toEqual(['completed', 3]);
  });

  test('ends at once when it is told to, and reads a log again that was replaced by a shorter one', async () => {
    const folder = runFolder({ 'run.json': { status: 'running' }, 'log.jsonl': [loss(1, 3), loss(2, 2)] });
    const ending = new AbortController();
    const views: RunView[] = [];
    for await (const view of follow(folder, { everyMs: 1, signal: ending.signal })) {
      views.push(view);
      if (views.length === 1) write(folder, 'log.jsonl', `${JSON.stringify(loss(1, 9))}\n`);
      else ending.abort();
    }
    expect(views.at(-1)!.series.get('loss')!.latest).toBe(9);
    expect(views.at(-1)!.series.get('loss')!.length).toBe(1);
  });
});

function endOf(folder: string): void {
  write(folder, 'run.json', JSON.stringify({ status: 'completed', finishedAt: '2026-01-01T12:00:00.000Z' }));
}

function write(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}
