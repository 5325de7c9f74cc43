import { readFile } from 'node:fs/promises';
import type { Hook } from '@hookline/hook-api';
import { memoryCheckpoint, samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { consoleLog, csvLog, jsonLog } from '../src/index.js';
import { csvObjects } from './csv/parse-csv.js';

const folder = folderPerTest();
const FIT = { train: samples(16), validation: samples(4), epochs: 3, batchSize: 2 };

const files = (): Hook[] => [
  jsonLog({ every: 2, file: folder.in('log.jsonl') }),
  csvLog({ every: 2, file: folder.in('log.csv') }),
];
const jsonLines = async () =>
  (await readFile(folder.in('log.jsonl'), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const csvRows = async () => csvObjects(await readFile(folder.in('log.csv'), 'utf8'));

test('a run that is stopped and resumed leaves one log with every batch once, at its step', async () => {
  const checkpoint = memoryCheckpoint();
  const stops: Hook = {
    name: 'stops',
    onEpochEnd: (ctx, { epoch }) => (epoch === 1 ? ctx.stop('pause') : undefined),
  };
  await tinyRun([checkpoint.saves({ epoch: 1 }), stops, ...files()]).trainer.fit(FIT);
  await tinyRun([checkpoint.resumes, ...files()]).trainer.fit({ ...FIT, resume: 'auto' });
  const steps = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24];
  const lines = await jsonLines();
  expect(lines.filter(({ event }) => event === 'batch').map(({ step }) => step)).toEqual(steps);
  expect(lines.filter(({ event }) => event === 'start').map(({ epoch, step }) => [epoch, step])).toEqual([
    [0, 0],
    [2, 16],
  ]);
  expect(lines.filter(({ event }) => event === 'end').map(({ stopReason }) => stopReason)).toEqual([
    'pause',
    null,
  ]);
  const rows = await csvRows();
  expect(rows.filter(({ event }) => event === 'batch').map(({ step }) => Number(step))).toEqual(steps);
  expect(rows.filter(({ event }) => event === 'epoch').map(({ epoch }) => epoch)).toEqual(['0', '1', '2']);
});

test('the numbers of the resumed part are those of a run that was never stopped', async () => {
  const whole = tinyRun([csvLog({ every: 2, file: folder.in('whole.csv') })]);
  await whole.trainer.fit(FIT);
  const checkpoint = memoryCheckpoint();
  await tinyRun([checkpoint.saves({ epoch: 0 })]).trainer.fit(FIT);
  await tinyRun([checkpoint.resumes, ...files()]).trainer.fit({ ...FIT, resume: 'auto' });
  const losses = (rows: Record<string, string>[]) =>
    rows
      .filter(({ epoch }) => Number(epoch) > 0)
      .map((row) => [row.step, row['batch/loss'], row['train/loss']]);
  const expected = losses(csvObjects(await readFile(folder.in('whole.csv'), 'utf8')));
  expect(expected.length).toBeGreaterThan(8);
  expect(losses(await csvRows())).toEqual(expected);
});

test('a run that is resumed in the middle of an epoch prints on from there', async () => {
  const checkpoint = memoryCheckpoint();
  await tinyRun([checkpoint.saves({ batch: 3 })]).trainer.fit(FIT);
  const chunks: string[] = [];
  const log = consoleLog({ every: 2, write: (text) => chunks.push(text) });
  await tinyRun([checkpoint.resumes, log]).trainer.fit({ ...FIT, epochs: 1, resume: 'auto' });
  const lines = chunks.join('').split('\n');
  expect(lines[0]).toMatch(/1 epoch of 8 batches {2}from epoch 1, step 4$/);
  expect(lines[1]).toMatch(/^epoch 1\/1 {2}batch 6\/8/);
  expect(lines.at(-2)).toMatch(/^completed after 1 epoch, 8 steps/);
});
