import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gradientMonitor } from '@hookline/hook-gradient-monitor';
import { readRun } from '@hookline/run-view';
import { samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest, TEST_BACKEND } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { jsonLog } from '../../src/index.js';

const folder = folderPerTest();

async function trained(epochs = 3): Promise<{ dir: string; history: readonly Record<string, number>[] }> {
  const { trainer } = tinyRun([gradientMonitor({ every: 2, histogram: true }), jsonLog({ every: 2 })], {
    runsDir: folder.path,
  });
  const data = samples(32);
  const { runDir, history } = await trainer.fit({ train: data, validation: data, epochs, batchSize: 8 });
  return { dir: runDir, history };
}

test('a finished run is told by its folder: who it was, how it ended, and its curves', async () => {
  const { dir, history } = await trained();
  const view = await readRun(dir);
  expect(view).toMatchObject({
    status: 'completed',
    stopReason: undefined,
    seed: 3,
    backend: TEST_BACKEND,
    parameters: 17,
    plannedEpochs: 3,
    batchesPerEpoch: 4,
    resumes: [],
    skippedLines: 0,
  });
  expect(view.hooks.map(({ name, isOn }) => [name, isOn])).toEqual([
    ['gradient-monitor', true],
    ['json-log', true],
  ]);
  expect(view.hooks.every(({ calls }) => calls! > 0)).toBe(true);
  expect(view.epochs.map(({ metrics }) => metrics)).toEqual(history);
  expect([...view.series.get('val/loss')!.points().values]).toEqual(history.map((each) => each['val/loss']));
  expect([...view.series.get('train/loss')!.points().steps]).toEqual([4, 8, 12]);
  // Of one batch, under another name than the mean over the epoch.
  expect([...view.series.get('batch/loss')!.points().steps]).toEqual([2, 4, 6, 8, 10, 12]);
  expect([...view.series.get('lr/sgd')!.points().values].every((rate) => rate === 0.01)).toBe(true);
  expect(view.series.has('speed/samples-per-second')).toBe(true);
  const [histogram] = view.histograms.get('grad/histogram/dense_1/kernel')!;
  expect(histogram!.edges).toHaveLength(histogram!.counts.length + 1);
  expect(view.best).toEqual({ metric: 'val/loss', value: history[2]!['val/loss'], epoch: 3 });
});

test('a line that is still being written, and lines that are not JSON, cost nothing but themselves', async () => {
  const { dir } = await trained(1);
  const log = join(dir, 'log.jsonl');
  const whole = await readRun(dir);
  appendFileSync(
    log,
    'not json\n{"event":7}\n[1]\nnull\n{"event":"log","step":99,"metrics":{"a":1}}\n{"event":"epo',
  );
  const view = await readRun(dir);
  expect(view.epochs).toEqual(whole.epochs);
  expect(view.skippedLines).toBe(4);
  expect(view.series.get('a')!.latest).toBe(1);
});

test('a line of any length is passed over, and the lines around it are read', async () => {
  const dir = folder.in('run');
  mkdirSync(dir);
  const point = (step: number) =>
    `${JSON.stringify({ event: 'log', step, epoch: 0, metrics: { a: step } })}\n`;
  const huge = `{"event":"log","metrics":{"b":1},"x":"${'x'.repeat(5_000_000)}"}\n`;
  writeFileSync(join(dir, 'log.jsonl'), `${point(1)}${huge}${point(2)}`);
  const view = await readRun(dir);
  expect([...view.series.get('a')!.points().values]).toEqual([1, 2]);
  expect(view.series.has('b')).toBe(false);
  expect(view.skippedLines).toBe(1);
});

test('values that JSON cannot hold come back as they were, and what is not a number is left out', async () => {
  const dir = folder.in('run');
  mkdirSync(dir);
  const metrics = { nan: 'NaN', up: 'Infinity', text: '12', none: null, list: [1], fine: 2 };
  writeFileSync(join(dir, 'log.jsonl'), `${JSON.stringify({ event: 'log', step: 1, epoch: 0, metrics })}\n`);
  const { series, status, id } = await readRun(dir);
  expect([...series].map(([name, { latest }]) => [name, latest])).toEqual([
    ['nan', Number.NaN],
    ['up', Infinity],
    ['fine', 2],
  ]);
  expect([status, id]).toEqual(['unknown', 'run']);
});

test('a run without a log, and a folder that is not a run, are told as far as they go', async () => {
  const { dir, history } = await trained(2);
  rmSync(join(dir, 'log.jsonl'));
  const view = await readRun(dir);
  expect([view.status, view.series.size, view.epochs.length]).toEqual(['completed', 0, 0]);
  expect(view.best).toMatchObject({ epoch: 2, value: history[1]!['val/loss'] });
  expect((await readRun(folder.in('nothing'))).status).toBe('unknown');
});

test('a run whose process is gone has died, unless its log knows how it ended', async () => {
  const { dir } = await trained(1);
  const file = join(dir, 'run.json');
  const record = JSON.parse(readFileSync(file, 'utf8'));
  const process = { ...record.process, pid: 2 ** 22 + 1 };
  writeFileSync(file, JSON.stringify({ ...record, process, status: 'running', finishedAt: undefined }));
  expect((await readRun(dir)).status).toBe('completed');
  const log = join(dir, 'log.jsonl');
  const lines = readFileSync(log, 'utf8').split('\n');
  writeFileSync(log, lines.filter((line) => !line.includes('"event":"end"')).join('\n'));
  expect((await readRun(dir)).status).toBe('died');
});

test('a run that is resumed in the same log starts again where it was resumed', async () => {
  const dir = folder.in('run');
  mkdirSync(dir);
  const line = (fields: object) => `${JSON.stringify(fields)}\n`;
  const epoch = (at: number, loss: number) =>
    line({ event: 'epoch', epoch: at, step: (at + 1) * 10, metrics: { 'train/loss': loss } });
  writeFileSync(
    join(dir, 'log.jsonl'),
    [
      line({ event: 'start', epoch: 0, step: 0, epochs: 3 }),
      ...[epoch(0, 3), epoch(1, 2)],
      line({ event: 'start', epoch: 1, step: 10, epochs: 3 }),
      ...[epoch(1, 2.5), epoch(2, 1)],
    ].join(''),
  );
  const view = await readRun(dir);
  expect(view.resumes).toEqual([{ step: 10, epoch: 1 }]);
  expect([...view.series.get('train/loss')!.points().values]).toEqual([3, 2.5, 1]);
  expect(view.epochs.map(({ metrics }) => metrics['train/loss'])).toEqual([3, 2.5, 1]);
});

test('lines of other runs in the same file are passed over', async () => {
  const { dir } = await trained(1);
  const before = await readRun(dir);
  const stranger = { event: 'log', run: 'another', step: 1, epoch: 0, metrics: { stranger: 1 } };
  appendFileSync(join(dir, 'log.jsonl'), `${JSON.stringify(stranger)}\n`);
  expect((await readRun(dir)).series.size).toBe(before.series.size);
});
