import { readdir, readFile, writeFile } from 'node:fs/promises';
import type { Hook } from '@hookline/hook-api';
import { type Histogram, leaveHistograms } from '@hookline/hook-api/helpers';
import { memoryCheckpoint, samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { csvLog, jsonLog, tensorboard } from '../src/index.js';
import { csvObjects } from './csv/parse-csv.js';
import { decodeEventFile } from './tensorboard/decode-events.js';

const folder = folderPerTest();

const histogram = (name: string, step: number): Histogram => ({
  ...{ name, step, min: -1, max: 2, num: 5, sum: 1.5, sumSquares: 7.25 },
  ...{ edges: [-1, 0, 1, 2], counts: [1, step % 2, 4 - (step % 2)] },
});

/** Leaves two histograms every so many steps, at the step and sometimes once more at the end of the epoch. */
const leaves = (every: number): Hook => ({
  name: 'leaves',
  onStepEnd(ctx, { step }) {
    if (step % every !== 0) return;
    leaveHistograms(ctx.shared, [histogram('grad/histogram/a', step), histogram('grad/histogram/b', step)]);
    ctx.log({ 'grad/norm': 1 });
  },
  onEpochEnd: (ctx) => leaveHistograms(ctx.shared, [histogram('act/histogram/c', ctx.state.step)]),
});

const three = (): Hook[] => [
  tensorboard({ dir: folder.in('tb') }),
  jsonLog({ file: folder.in('log.jsonl') }),
  csvLog({ file: folder.in('log.csv') }),
];

const FIT = { train: samples(16), epochs: 2, batchSize: 2 };

const jsonLines = async () =>
  (await readFile(folder.in('log.jsonl'), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const csvRows = async (file = 'log-histograms.csv') => csvObjects(await readFile(folder.in(file), 'utf8'));

/** The histograms that each log has, as `name step`. */
async function found(): Promise<Record<'tensorboard' | 'json' | 'csv', string[]>> {
  const files = (await readdir(folder.in('tb'))).sort();
  const events = await Promise.all(
    files.map(async (name) => decodeEventFile(await readFile(folder.in('tb', name)))),
  );
  const inBoard = events
    .flat()
    .flatMap(({ step, values }) => values.flatMap(({ tag, histogram: h }) => (h ? [`${tag} ${step}`] : [])));
  const inJson = (await jsonLines()).filter(({ event }) => event === 'histogram');
  const rows = await csvRows();
  return {
    tensorboard: inBoard,
    json: inJson.map(({ name, step }) => `${name} ${step}`),
    // Three buckets each: the first row of each.
    csv: rows.filter(({ left }) => left === '-1').map(({ name, step }) => `${name} ${step}`),
  };
}

const expected = (steps: number[], epochs: number[]) =>
  [
    ...steps.flatMap((step) => ['a', 'b'].map((name) => `grad/histogram/${name} ${step}`)),
    ...epochs.map((step) => `act/histogram/c ${step}`),
  ].sort();

test('tensorboard, json-log and csv-log each have each histogram exactly once', async () => {
  const { trainer, complaints } = tinyRun([leaves(4), ...three()]);
  await trainer.fit(FIT);
  expect(complaints).toEqual([]);
  for (const [log, names] of Object.entries(await found()))
    expect([...names].sort(), log).toEqual(expected([4, 8, 12, 16], [8, 16]));
});

test('a run that is resumed adds those of its own steps to each log, and none twice', async () => {
  const checkpoint = memoryCheckpoint();
  await tinyRun([checkpoint.saves({ epoch: 0 }), leaves(4), ...three()]).trainer.fit({ ...FIT, epochs: 1 });
  for (const names of Object.values(await found())) expect([...names].sort()).toEqual(expected([4, 8], [8]));
  await tinyRun([checkpoint.resumes, leaves(4), ...three()]).trainer.fit({ ...FIT, resume: 'auto' });
  for (const [log, names] of Object.entries(await found()))
    expect([...names].sort(), log).toEqual(expected([4, 8, 12, 16], [8, 16]));
});

test('a log that is switched off for a while catches up, and misses none', async () => {
  const switches: Hook = {
    name: 'switches',
    onEpochStart(_ctx, { epoch }) {
      if (epoch === 0) run.trainer.disableHook('json-log');
      if (epoch === 1) run.trainer.enableHook('json-log');
    },
  };
  const run = tinyRun([switches, leaves(4), ...three()]);
  await run.trainer.fit(FIT);
  const { json, csv } = await found();
  expect(new Set(json).size).toBe(json.length);
  expect(json).toEqual(csv);
});

test('a line of json-log has all that is known of the histogram', async () => {
  await tinyRun([leaves(8), ...three()]).trainer.fit({ ...FIT, epochs: 1 });
  const line = (await jsonLines()).find(({ event }) => event === 'histogram');
  expect(line).toMatchObject({
    level: 'info',
    run: expect.any(String),
    epoch: 0,
    ...histogram('grad/histogram/a', 8),
  });
});

test('the table of csv-log has a row per bucket, whose counts add up to the histogram', async () => {
  await tinyRun([leaves(8), ...three()]).trainer.fit({ ...FIT, epochs: 1 });
  const rows = (await csvRows()).filter(({ name }) => name === 'grad/histogram/a');
  expect(Object.keys(rows[0]!)).toEqual(['time', 'run', 'epoch', 'step', 'name', 'left', 'right', 'count']);
  expect(rows.map(({ left, right, count }) => [left, right, count].map(Number))).toEqual([
    [-1, 0, 1],
    [0, 1, 0],
    [1, 2, 4],
  ]);
  // The table of metrics has no row for them.
  expect((await csvRows('log.csv')).map(({ event }) => event)).not.toContain('histograms');
});

test('files get the histograms whose names "metrics" matches', async () => {
  const metrics = ['train/*', 'grad/histogram/b'];
  const { trainer } = tinyRun([
    leaves(8),
    jsonLog({ file: folder.in('log.jsonl'), metrics }),
    csvLog({ file: folder.in('log.csv'), metrics }),
  ]);
  await trainer.fit({ ...FIT, epochs: 1 });
  const lines = (await jsonLines()).filter(({ event }) => event === 'histogram');
  expect(lines.map(({ name }) => name)).toEqual(['grad/histogram/b']);
  expect(new Set((await csvRows()).map(({ name }) => name))).toEqual(new Set(['grad/histogram/b']));
});

test('a run without histograms has no file for them', async () => {
  await tinyRun(three()).trainer.fit({ ...FIT, epochs: 1 });
  expect((await readdir(folder.path)).sort()).toEqual(['log.csv', 'log.jsonl', 'tb']);
});

test('a file that csv-log did not write is left alone', async () => {
  await writeFile(folder.in('log-histograms.csv'), 'name,phone\nAnn,123\n');
  const { trainer, complaints } = tinyRun([leaves(8), csvLog({ file: folder.in('log.csv') })]);
  expect((await trainer.fit(FIT)).status).toBe('completed');
  expect(complaints).toEqual([expect.stringMatching(/log-histograms\.csv: csv-log did not write this file/)]);
  expect(await readFile(folder.in('log-histograms.csv'), 'utf8')).toBe('name,phone\nAnn,123\n');
});
