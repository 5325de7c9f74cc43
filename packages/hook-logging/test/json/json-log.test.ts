import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { readsPerBatch, samples, tinyRun } from '@hookline/test-runs';
import { TEST_BACKEND } from '@hookline/test-support';
import type { FitOptions, FitResult, TrainerOptions } from '@hookline/trainer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type JsonLogOptions, jsonLog } from '../../src/index.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-json-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Line = Record<string, unknown> & { event: string; metrics: Record<string, number> };

const read = async (path: string): Promise<Line[]> =>
  (await readFile(path, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

/** The lines of a run of 40 batches an epoch. */
async function linesOf(
  options: JsonLogOptions = {},
  {
    hooks = [],
    trainer = {},
    fit = {},
  }: { hooks?: Hook[]; trainer?: Partial<TrainerOptions>; fit?: Partial<FitOptions> } = {},
): Promise<{ lines: Line[]; complaints: string[] }> {
  const file = join(folder, 'log.jsonl');
  const run = tinyRun([...hooks, jsonLog({ file, ...options })], trainer);
  await run.trainer.fit({ train: samples(80), epochs: 1, batchSize: 2, ...fit }).catch(() => {});
  return { lines: await read(file), complaints: run.complaints };
}

test('every event of a run has its line, with the fields that the README documents', async () => {
  const { lines } = await linesOf({ every: 20 }, { fit: { validation: samples(8) } });
  expect(lines.map(({ event }) => event)).toEqual(['start', 'batch', 'batch', 'validation', 'epoch', 'end']);
  const run = lines[0]!.run;
  for (const line of lines) {
    expect(line).toMatchObject({ level: 'info', run, epoch: expect.any(Number), step: expect.any(Number) });
    expect(new Date(line.time as string).toISOString()).toBe(line.time);
    expect(line.seconds).toEqual(expect.any(Number));
  }
  expect(lines[0]).toMatchObject({
    epochs: 1,
    batchesPerEpoch: 40,
    parameters: 17,
    backend: TEST_BACKEND,
    device: 'cpu',
    seed: 3,
  });
  expect(lines[0]).toMatchObject({ configHash: expect.any(String), gitCommit: expect.any(String) });
  expect(lines[1]).toMatchObject({
    epoch: 0,
    step: 20,
    batch: 19,
    loader: 'train',
    skipped: false,
    lr: { sgd: 0.01 },
  });
  expect(lines[1]).toMatchObject({ loss: expect.any(Number), avgLoss: expect.any(Number) });
  expect(lines[1]!.metrics).toEqual({ 'train/loss': lines[1]!.loss });
  const measured = {
    'speed/steps-per-second': expect.any(Number),
    'speed/samples-per-second': expect.any(Number),
    'memory/rss-mib': expect.any(Number),
    'memory/tensors': expect.any(Number),
    'memory/tensor-mib': expect.any(Number),
  };
  expect(lines[1]!.system).toMatchObject(measured);
  expect(lines[4]!.system).toMatchObject({ 'time/epoch-seconds': expect.any(Number), ...measured });
  expect(lines[3]!.metrics).toEqual({ 'val/loss': expect.any(Number) });
  expect(lines[4]!.metrics).toEqual({
    'train/loss': expect.any(Number),
    'val/loss': lines[3]!.metrics['val/loss'],
  });
  expect(lines[5]).toMatchObject({ status: 'completed', stopReason: null, step: 40 });
});

test('the numbers are those of the run, to the last digit', async () => {
  const file = join(folder, 'log.jsonl');
  const { trainer } = tinyRun([jsonLog({ file })]);
  const { history } = await trainer.fit({
    train: samples(80),
    validation: samples(8),
    epochs: 3,
    batchSize: 2,
  });
  const epochs = (await read(file)).filter(({ event }) => event === 'epoch');
  expect(epochs.map(({ metrics }) => metrics)).toEqual(history);
});

test('the log is in the folder of the run by default, and a second run of the file appends', async () => {
  const { trainer } = tinyRun([jsonLog()], { runsDir: folder });
  const { runDir } = await trainer.fit({ train: samples(4), epochs: 1 });
  expect((await read(join(runDir, 'log.jsonl'))).map(({ event }) => event)).toEqual([
    'start',
    'epoch',
    'end',
  ]);

  await linesOf();
  const { lines } = await linesOf();
  expect(lines.filter(({ event }) => event === 'start')).toHaveLength(2);
});

test('without a run folder and without a file nothing is written anywhere', async () => {
  const { trainer, complaints } = tinyRun([jsonLog()]);
  const { runDir } = await trainer.fit({ train: samples(4), epochs: 1 });
  expect(existsSync('log.jsonl')).toBe(false);
  expect(existsSync(runDir)).toBe(false);
  expect(complaints).toEqual([]);
});

test('what other hooks log is written at its boundary', async () => {
  const logs: Hook = {
    name: 'logs',
    onTrainBatchEnd: (ctx, { batchIndex }) => (batchIndex === 3 ? ctx.log({ 'grad/norm': 1.5 }) : undefined),
    onEpochEnd: (ctx) => ctx.log({ 'mine/score': 0.5 }),
  };
  const { lines } = await linesOf({}, { hooks: [logs] });
  expect(lines.filter(({ event }) => event === 'log')).toEqual([
    expect.objectContaining({ scope: 'step', epoch: 0, step: 4, metrics: { 'grad/norm': 1.5 } }),
    expect.objectContaining({ scope: 'epoch', epoch: 0, step: 40, metrics: { 'mine/score': 0.5 } }),
  ]);
});

test('a batch without a line reads nothing from the device', async () => {
  const without = await readsPerBatch([], 40);
  const counts = await readsPerBatch([jsonLog({ every: 15, file: join(folder, 'log.jsonl') })], 40);
  expect(counts.flatMap((count, batch) => (count === without[batch] ? [] : [batch]))).toEqual([14, 29]);
});

test('only the metrics that were asked for are written', async () => {
  const { lines } = await linesOf({ metrics: 'val/*' }, { fit: { validation: samples(8) } });
  const epoch = lines.find(({ event }) => event === 'epoch')!;
  expect(Object.keys(epoch.metrics)).toEqual(['val/loss']);
});

test('numbers that are not finite survive as strings, and their lines are warnings', async () => {
  const trainer = { optimizer: { name: 'sgd', lr: 1e30 } } as const;
  const { lines } = await linesOf({ every: 40 }, { trainer });
  expect(lines.find(({ event }) => event === 'batch')).toMatchObject({
    level: 'warn',
    loss: 'NaN',
    avgLoss: 'NaN',
  });
  await rm(join(folder, 'log.jsonl'));
  const warnings = await linesOf({ every: 40, level: 'warn' }, { trainer });
  expect(warnings.lines.map(({ event }) => event)).toEqual(['warning', 'batch', 'epoch', 'end']);
});

test('a run that fails has its error written, with its cause, and no line before it is lost', async () => {
  const failing: Hook = {
    name: 'failing',
    onError: 'fail',
    onEpochEnd: () => {
      throw new Error('no more', { cause: new Error('the deeper reason') });
    },
  };
  const { lines } = await linesOf({ every: 1 }, { hooks: [failing] });
  expect(lines.filter(({ event }) => event === 'batch')).toHaveLength(40);
  expect(lines.at(-1)).toMatchObject({
    event: 'error',
    level: 'error',
    epoch: 0,
    step: 40,
    error: {
      type: 'Error',
      message: expect.stringContaining('the deeper reason'),
      stack: expect.any(String),
    },
  });
});

test('something thrown that is not an Error is written too', async () => {
  const failing: Hook = {
    name: 'failing',
    onError: 'fail',
    onEpochEnd: () => {
      throw 'just a text';
    },
  };
  const { lines } = await linesOf({}, { hooks: [failing] });
  expect(lines.at(-1)).toMatchObject({ event: 'error', error: { message: 'just a text' } });
});

test('a stopped run says why, and a skipped batch says that it was skipped', async () => {
  const hook: Hook = {
    name: 'skips-and-stops',
    onTrainBatchStart: (ctx) => (ctx.state.batchIndex === 0 ? ctx.skipBatch() : undefined),
    onTrainBatchEnd: (ctx, { batchIndex }) => (batchIndex === 1 ? ctx.stop('enough') : undefined),
  };
  const { lines } = await linesOf({ every: 1 }, { hooks: [hook] });
  expect(lines[1]).toMatchObject({ event: 'batch', batch: 0, skipped: true });
  expect(lines[1]).not.toHaveProperty('loss');
  expect(lines.at(-1)).toMatchObject({ event: 'end', status: 'stopped', stopReason: 'enough' });
});

test('test() is written too, into the same log', async () => {
  const file = join(folder, 'log.jsonl');
  const { trainer } = tinyRun([jsonLog({ file })]);
  await trainer.test({ data: samples(4) });
  expect(await read(file)).toEqual([
    expect.objectContaining({ event: 'test', metrics: { 'test/loss': expect.any(Number) } }),
  ]);
});

test('a log that cannot be written warns once and leaves training as it is', async () => {
  await writeFile(join(folder, 'file'), '');
  const outcome = async (hooks: Hook[]): Promise<[FitResult['history'], number[], string[]]> => {
    const { trainer, weights, complaints } = tinyRun(hooks);
    const { history } = await trainer.fit({ train: samples(80), epochs: 3, batchSize: 2 });
    return [history, await weights(), complaints];
  };
  const [history, weights] = await outcome([]);
  for (const file of [join(folder, 'file/log.jsonl'), '/dev/full']) {
    const [itsHistory, itsWeights, complaints] = await outcome([jsonLog({ file, every: 1 })]);
    expect(itsHistory).toEqual(history);
    expect(itsWeights).toEqual(weights);
    expect(complaints).toEqual([
      expect.stringMatching(/^Cannot write .*The run continues without this log\.$/),
    ]);
  }
});

test('an unknown option is reported with the nearest name', () => {
  expect(() => jsonLog({ fil: 'x' } as never)).toThrow(/unknown option "fil".*Did you mean "file"\?/);
  expect(() => jsonLog({ level: 'loud' as never })).toThrow(/"level" must be "info" or "warn" or "error"/);
});

test('an epoch that was cut short is marked, with the batches that it has', async () => {
  const { lines } = await linesOf({}, { fit: { epochs: 3, maxSteps: 47 } });
  const epochs = lines.filter(({ event }) => event === 'epoch');
  expect(epochs.map(({ cutShort, batches }) => ({ cutShort, batches }))).toEqual([
    { cutShort: false, batches: 40 },
    { cutShort: true, batches: 7 },
  ]);
});
