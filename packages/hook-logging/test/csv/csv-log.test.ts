import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Hook } from '@hookline/hook-api';
import { bundledProgram } from '@hookline/test-programs';
import { readsPerBatch, samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest, someOf } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { type CsvLogOptions, csvLog } from '../../src/index.js';
import { csvObjects, parseCsv } from './parse-csv.js';

const folder = folderPerTest();
const file = () => folder.in('log.csv');
const rows = async () => csvObjects(await readFile(file(), 'utf8'));

async function run(options: CsvLogOptions = {}, hooks: Hook[] = [], epochs = 1): Promise<string[]> {
  const { trainer, complaints } = tinyRun([...hooks, csvLog({ file: file(), ...options })]);
  await trainer.fit({ train: samples(80), validation: samples(8), epochs, batchSize: 2 });
  return complaints;
}

/** Logs a metric once, in this batch of this epoch. */
const logs = (name: string, epoch: number, batch: number): Hook => ({
  name: `logs-${epoch}-${batch}`,
  onTrainBatchEnd(ctx, { batchIndex }) {
    if (ctx.state.epoch === epoch && batchIndex === batch) ctx.log({ [name]: 0.25 });
  },
});

test('every event that has numbers has a row, with the numbers of the run to the last digit', async () => {
  const { trainer } = tinyRun([csvLog({ file: file(), every: 20 })]);
  const fit = { train: samples(80), validation: samples(8), epochs: 2, batchSize: 2 };
  const { history } = await trainer.fit(fit);
  const found = await rows();
  expect(found.map(({ event, epoch, step }) => [event, epoch, step].join(' '))).toEqual([
    'batch 0 20',
    'batch 0 40',
    'validation 0 40',
    'epoch 0 40',
    'batch 1 60',
    'batch 1 80',
    'validation 1 80',
    'epoch 1 80',
  ]);
  const epochs = found.filter(({ event }) => event === 'epoch');
  for (const [index, metrics] of history.entries()) {
    for (const [name, value] of Object.entries(metrics)) expect(Number(epochs[index]![name])).toBe(value);
  }
  expect(Object.keys(found[0]!)).toEqual([
    ...['time', 'run', 'event', 'epoch', 'step', 'seconds', 'batch/loss', 'lr/sgd'],
    ...['speed/steps-per-second', 'speed/samples-per-second'],
    ...['memory/rss-mib', 'memory/tensors', 'memory/tensor-mib'],
  ]);
  expect(Object.keys(epochs[0]!)).toContain('time/epoch-seconds');
  expect(new Date(found[0]!.time!).toISOString()).toBe(found[0]!.time);
});

test('a metric that comes late gets a column, nothing before it is lost, and the file is a table at any time', async () => {
  const columnsSoon: Record<number, string> = { 7: 'my/first', 45: 'my/second' };
  const seen: string[] = [];
  const reader: Hook = {
    name: 'checkpoint', // runs after the log
    async onTrainBatchEnd(ctx) {
      const wanted = columnsSoon[ctx.state.step];
      // The log writes in the background: training waits here until the column has reached the file.
      for (;;) {
        const [header = []] = existsSync(file()) ? parseCsv(readFileSync(file(), 'utf8')) : [];
        if (wanted === undefined) return;
        if (header.includes(wanted)) break;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      seen.push(wanted);
    },
  };
  const late = [logs('my/first', 0, 5), logs('my/second', 1, 3), logs('my/third', 2, 38)];
  expect(await run({ every: 1 }, [...late, reader], 3)).toEqual([]);
  const found = await rows();
  expect(found.filter(({ event }) => event === 'batch')).toHaveLength(120);
  expect(found.filter((row) => row['batch/loss'] !== undefined)).toHaveLength(120);
  for (const [name, step] of [
    ['my/first', '6'],
    ['my/second', '44'],
    ['my/third', '119'],
  ] as const) {
    expect(found.filter((row) => row[name] !== undefined)).toEqual([
      expect.objectContaining({ event: 'log', step, [name]: '0.25' }),
    ]);
  }
  expect(seen).toEqual(Object.values(columnsSoon));
});

test('names with commas, quotes and line breaks survive, also when columns are added after them', async () => {
  const odd = ['a/one, two', 'a/"quoted"', 'a/line\nbreak', 'a/plain'];
  await run({}, [...odd.map((name, index) => logs(name, index, 1)), logs('a/last', 3, 20)], 4);
  const [header] = parseCsv(await readFile(file(), 'utf8'));
  expect(header).toEqual(expect.arrayContaining([...odd, 'a/last']));
});

test('a file of an earlier run is continued, and gets the columns that it lacks', async () => {
  await run({ metrics: 'val/*' });
  await run({ metrics: ['val/*', 'train/*'] });
  const found = await rows();
  expect(found.map((row) => Object.keys(row).slice(6).join())).toEqual([
    'val/loss',
    'val/loss',
    'val/loss',
    'val/loss,train/loss',
  ]);
  expect(new Set(found.map((row) => row.run)).size).toBe(2);
});

test('a file that is something else is left alone', async () => {
  await writeFile(file(), 'name,phone\nAnn,123\n');
  expect(await run()).toEqual([
    expect.stringMatching(/Cannot write .*log\.csv: csv-log did not write this file\. Choose another name/),
  ]);
  expect(await readFile(file(), 'utf8')).toBe('name,phone\nAnn,123\n');
});

test('numbers that are not finite are written as NaN and Infinity', async () => {
  const { trainer } = tinyRun([csvLog({ file: file(), every: 40 })], {
    optimizer: { name: 'sgd', lr: 1e30 },
  });
  await trainer.fit({ train: samples(80), epochs: 1, batchSize: 2 });
  expect((await rows())[0]).toMatchObject({ event: 'batch', 'batch/loss': 'NaN' });
});

test('only the metrics that were asked for are written, and a batch without a row reads nothing', async () => {
  await run({ metrics: ['batch/loss', 'memory/tensors'], every: 40 });
  expect(Object.keys((await rows())[0]!).slice(6)).toEqual(['batch/loss', 'memory/tensors']);
  const without = await readsPerBatch([], 40);
  const counts = await readsPerBatch([csvLog({ every: 15, file: folder.in('other.csv') })], 40);
  expect(counts.flatMap((count, batch) => (count === without[batch] ? [] : [batch]))).toEqual([14, 29]);
});

test('the log is in the folder of the run by default; a run without one says so', async () => {
  const { trainer } = tinyRun([csvLog()], { runsDir: folder.path });
  const { runDir } = await trainer.fit({ train: samples(4), epochs: 1 });
  expect(existsSync(`${runDir}/log.csv`)).toBe(true);
  const nowhere = tinyRun([csvLog()]);
  await nowhere.trainer.fit({ train: samples(4), epochs: 1 });
  expect(nowhere.complaints).toEqual([
    expect.stringContaining('csv-log has nowhere to write: the run has no folder. Give it a "file"'),
  ]);
});

test.each(someOf([0, 1, 2, 3, 5, 8], 2))(
  'a process that exits %i ms after a new column leaves whole tables with every row and every histogram',
  async (wait) => {
    const code = `
      import { LogFile } from './src/file/log-file.ts';
      import { HistogramTable, histogramRows } from './src/csv/histogram-table.ts';
      import { MetricTable } from './src/csv/metric-table.ts';
      const [metricFile, histogramFile, wait] = process.argv.slice(2);
      const file = new LogFile(metricFile, new MetricTable(), {});
      const histograms = new LogFile(histogramFile, new HistogramTable(), {});
      const row = (step, metrics) => ({ fixed: ['t', 'r', 'e', 0, step, 0], metrics, length: 100 });
      const bars = (step) => histogramRows({ name: 'w', step, edges: [0, 1, 2], counts: [3, 4] }, { time: 0, run: 'r', epoch: 0 });
      for (let i = 0; i < 500; i++) file.write(row(i, { a: i }));
      await file.flush();
      for (let i = 500; i < 1000; i++) file.write(row(i, { a: i, b: i }));
      for (let i = 0; i < 100; i++) histograms.write(bars(i));
      await new Promise((resolve) => setTimeout(resolve, Number(wait)));
      for (let i = 1000; i < 1500; i++) file.write(row(i, { a: i, b: i, c: i }));
      for (let i = 100; i < 200; i++) histograms.write(bars(i));
      process.exit(0);
    `;
    const program = await bundledProgram(code, fileURLToPath(new URL('../..', import.meta.url)));
    const args = [program, file(), folder.in('histograms.csv'), String(wait)];
    expect(spawnSync(process.execPath, args).status).toBe(0);
    const steps = (found: Record<string, string>[]) =>
      found.map(({ step }) => Number(step)).sort((a, b) => a - b);
    const found = await rows();
    expect(steps(found)).toEqual(Array.from({ length: 1500 }, (_, i) => i));
    expect(found.filter(({ c }) => c !== undefined)).toHaveLength(500);
    const buckets = csvObjects(await readFile(folder.in('histograms.csv'), 'utf8'));
    expect(steps(buckets)).toEqual(Array.from({ length: 400 }, (_, i) => Math.floor(i / 2)));
  },
);

test('an unknown option is reported with the nearest name', () => {
  expect(() => csvLog({ fil: 'x' } as never)).toThrow(/unknown option "fil".*Did you mean "file"\?/);
});

test('the row of an epoch that was cut short does not count as one of an epoch', async () => {
  const stopper: Hook = {
    name: 'stopper',
    onStepEnd: (ctx, { step }) => (step === 47 ? ctx.stop('enough') : undefined),
  };
  await run({ every: false }, [stopper], 3);
  const found = (await rows()).filter(({ event }) => event!.startsWith('epoch'));
  expect(found.map(({ event, step }) => [event, step].join(' '))).toEqual(['epoch 40', 'epoch-cut-short 47']);
});
