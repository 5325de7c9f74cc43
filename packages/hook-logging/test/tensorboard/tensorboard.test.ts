import { readdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Hook } from '@hookline/hook-api';
import { leaveHistograms } from '@hookline/hook-api/helpers';
import { memoryCheckpoint, readsPerBatch, samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest } from '@hookline/test-support';
import type { TrainerOptions } from '@hookline/trainer';
import { expect, test } from 'vitest';
import { type TensorboardOptions, tensorboard } from '../../src/index.js';
import { Message } from '../../src/tensorboard/message.js';
import { type DecodedEvent, decodeEventFile, fieldsOf, textOf } from './decode-events.js';

const folder = folderPerTest();
const START = 1;

/** All events of the files in the folder, in the order in which TensorBoard reads them. */
async function eventsIn(dir: string): Promise<DecodedEvent[]> {
  const events: DecodedEvent[] = [];
  for (const name of (await readdir(dir)).sort())
    events.push(...decodeEventFile(await readFile(`${dir}/${name}`)));
  return events;
}

async function run(
  options: TensorboardOptions = {},
  hooks: Hook[] = [],
  trainerOptions: Partial<TrainerOptions> = {},
): Promise<{ events: DecodedEvent[]; complaints: string[]; history: readonly Record<string, number>[] }> {
  const { trainer, complaints } = tinyRun(
    [...hooks, tensorboard({ dir: folder.path, ...options })],
    trainerOptions,
  );
  const fit = { train: samples(80), validation: samples(8), epochs: 2, batchSize: 2 };
  const { history } = await trainer.fit(fit).catch(() => ({ history: [] }));
  return { events: await eventsIn(folder.path), complaints, history };
}

function curve(events: DecodedEvent[], tag: string): [number, number][] {
  return events.flatMap(({ step, values }) =>
    values.flatMap((value) =>
      value.tag === tag && value.scalar !== undefined ? [[step, value.scalar] as [number, number]] : [],
    ),
  );
}

test('curves hold the numbers of the run, each at its step and once', async () => {
  const { events, history } = await run({ every: 10 });
  const float = (value: number) => Math.fround(value);
  expect(curve(events, 'train/loss')).toEqual(
    [40, 80].map((step, epoch) => [step, float(history[epoch]!['train/loss']!)]),
  );
  expect(curve(events, 'val/loss')).toEqual(
    [40, 80].map((step, epoch) => [step, float(history[epoch]!['val/loss']!)]),
  );
  expect(curve(events, 'batch/loss').map(([step]) => step)).toEqual([10, 20, 30, 40, 50, 60, 70, 80]);
  expect(curve(events, 'lr/sgd')).toEqual(
    [10, 20, 30, 40, 50, 60, 70, 80].map((step) => [step, float(0.01)]),
  );
  for (const tag of [
    'speed/steps-per-second',
    'speed/samples-per-second',
    'memory/rss-mib',
    'memory/tensors',
  ]) {
    expect(
      curve(events, tag).map(([step]) => step),
      tag,
    ).toEqual([10, 20, 30, 40, 50, 60, 70, 80]);
  }
  expect(curve(events, 'time/epoch-seconds')).toHaveLength(2);
});

test('a file is named as TensorBoard expects it, and begins with the version of its format', async () => {
  const before = Date.now() / 1000;
  const pauses: Hook = {
    name: 'pauses', // so that the file is written to several times
    onTrainBatchStart: () => new Promise((resolve) => setTimeout(resolve, 1)),
  };
  const { events } = await run({ every: 1 }, [pauses]);
  const [name] = await readdir(folder.path);
  expect(name).toMatch(/^events\.out\.tfevents\.\d{10}\./);
  expect(name!.endsWith(`.${hostname()}.${process.pid}.hookline`)).toBe(true);
  expect(events[0]).toMatchObject({ version: 'brain.Event:2', step: 0, values: [] });
  expect(events.filter(({ version }) => version !== undefined)).toHaveLength(1);
  for (const { wallTime } of events) {
    expect(wallTime).toBeGreaterThanOrEqual(before);
    expect(wallTime).toBeLessThanOrEqual(Date.now() / 1000);
  }
});

test('histograms that hooks leave are written, each at its step and once', async () => {
  const left = (step: number) => ({
    name: 'grad/histogram/dense/kernel',
    step,
    min: -1,
    max: 2,
    num: 5,
    sum: 1.5,
    sumSquares: 7.25,
    edges: [-1, 0, 1, 2],
    counts: [1, 1, 3],
  });
  const leaves: Hook = {
    name: 'leaves',
    onTrainBatchEnd(ctx, { batchIndex }) {
      if (batchIndex !== 4) return;
      leaveHistograms(ctx.shared, [left(5)]);
      ctx.log({ 'grad/norm': 1 });
    },
    onEpochEnd: (ctx) => leaveHistograms(ctx.shared, [left(40)]),
  };
  const { events } = await run({}, [leaves]);
  const found = events.flatMap(({ step, values }) =>
    values.flatMap(({ tag, histogram }) => (histogram ? [{ step, tag, histogram }] : [])),
  );
  const histogram = {
    min: -1,
    max: 2,
    num: 5,
    sum: 1.5,
    sumSquares: 7.25,
    limits: [0, 1, 2],
    counts: [1, 1, 3],
  };
  expect(found.map(({ step }) => step)).toEqual([5, 40, 5, 40]);
  expect(found[0]).toEqual({ step: 5, tag: 'grad/histogram/dense/kernel', histogram });
});

test('the config is there as text and as hyper-parameters, without the settings of hooks, and how the run ended', async () => {
  const { trainer } = tinyRun([tensorboard()], {
    runsDir: folder.in('runs'),
    hyperparameters: { units: 64, augment: { flip: true } },
  });
  const { runDir } = await trainer.fit({ train: samples(8), epochs: 3, batchSize: 2 });
  const values = (await eventsIn(`${runDir}/tensorboard`)).flatMap((event) => event.values);
  const tagged = (tag: string) => values.find((value) => value.tag === tag)!;
  const config = tagged('run/config');
  expect(config.plugin).toBe('text');
  expect(JSON.parse(config.text![0]!)).toMatchObject({
    epochs: 3,
    batchSize: 2,
    loss: 'meanSquaredError',
    seed: 3,
  });
  expect(tagged('run/end').text).toEqual(['completed']);

  const start = tagged('_hparams_/session_start_info');
  expect(start.plugin).toBe('hparams');
  const info = fieldsOf(fieldsOf(start.pluginContent!).find(({ number }) => number === 3)!.bytes);
  const settings = info
    .filter(({ number }) => number === 1)
    .map(({ bytes }) => {
      const [name, value] = fieldsOf(bytes);
      const [{ number, double, varint, bytes: text }] = fieldsOf(value!.bytes) as [
        ReturnType<typeof fieldsOf>[0],
      ];
      return [textOf(name!.bytes), number === 2 ? double : number === 4 ? varint === 1n : textOf(text)];
    });
  expect(Object.fromEntries(settings)).toMatchObject({
    epochs: 3,
    batchSize: 2,
    'optimizer.name': 'sgd',
    'optimizer.lr': 0.01,
    'hyperparameters.units': 64,
    'hyperparameters.augment.flip': true,
    loss: 'meanSquaredError',
  });
  expect(settings.filter(([name]) => String(name).startsWith('hooks'))).toEqual([]);
  const [status] = fieldsOf(fieldsOf(tagged('_hparams_/session_end_info').pluginContent!)[0]!.bytes);
  expect(status).toMatchObject({ number: 1, varint: 1n });
});

test('a run that fails says so, with the stack', async () => {
  const failing: Hook = {
    name: 'failing',
    onError: 'fail',
    onEpochEnd: () => {
      throw new Error('no more');
    },
  };
  const { events } = await run({}, [failing]);
  const end = events.flatMap(({ values }) => values).find(({ tag }) => tag === 'run/end')!;
  expect(end.text![0]).toMatch(/^failed:\n\n {4}Error: no more\n {4} +at /);
});

test('a resumed run voids what an earlier one left of the steps that are still to come, and no other', async () => {
  const checkpoint = memoryCheckpoint();
  await run({}, [checkpoint.saves({ epoch: 0 })]);
  const { trainer } = tinyRun([checkpoint.resumes, tensorboard({ dir: folder.path })]);
  await trainer.fit({ train: samples(80), epochs: 2, batchSize: 2, resume: 'auto' });
  const starts = (await eventsIn(folder.path)).filter(({ sessionStatus }) => sessionStatus === START);
  // TensorBoard drops what has the step of the second start, or a later one: step 40 stays.
  expect(starts.map(({ step }) => step)).toEqual([1, 41]);
});

test('a test after a fit is at the step where the fit ended, and voids nothing', async () => {
  const { trainer } = tinyRun([tensorboard({ dir: folder.path })]);
  await trainer.fit({ train: samples(80), epochs: 1, batchSize: 2 });
  await trainer.test({ data: samples(4) });
  const events = await eventsIn(folder.path);
  expect(curve(events, 'test/loss').map(([step]) => step)).toEqual([40]);
  expect(events.filter(({ sessionStatus }) => sessionStatus === START)).toHaveLength(1);
});

test('learning rates that another hook logs are left to it', async () => {
  const monitor: Hook = {
    name: 'lr-monitor',
    onBeforeOptimizerStep: (ctx, { step }) => (step % 20 === 0 ? ctx.log({ 'lr/sgd': 0.5 }) : undefined),
  };
  const { events } = await run({ every: 1 }, [monitor]);
  expect(curve(events, 'lr/sgd')).toEqual([1, 21, 41, 61].map((step) => [step, 0.5]));
});

test('NaN and large steps are written exactly', async () => {
  const { events } = await run({}, [], { optimizer: { name: 'sgd', lr: 1e30 } });
  expect(curve(events, 'train/loss')[0]![1]).toBeNaN();
  for (const value of [0, 1, 127, 128, 2 ** 31, 2 ** 32 + 5, 2 ** 53 - 1]) {
    expect(fieldsOf(new Message().uint(2, value).finish())[0]!.varint).toBe(BigInt(value));
  }
});

test('only the metrics that were asked for are written, and a batch without a point reads nothing', async () => {
  const { events } = await run({ metrics: ['val/*', 'batch/loss'] });
  const tags = new Set(
    events.flatMap(({ values }) => values.flatMap(({ tag, scalar }) => (scalar === undefined ? [] : [tag]))),
  );
  expect([...tags]).toEqual(['batch/loss', 'val/loss']);
  const without = await readsPerBatch([], 40);
  const counts = await readsPerBatch([tensorboard({ every: 15, dir: folder.in('reads') })], 40);
  expect(counts.flatMap((count, batch) => (count === without[batch] ? [] : [batch]))).toEqual([14, 29]);
});

test('a folder that cannot be written to warns once, and the run continues', async () => {
  const { trainer, complaints } = tinyRun([tensorboard({ dir: '/dev/null/here', every: 1 })]);
  const { status } = await trainer.fit({ train: samples(80), epochs: 2, batchSize: 2 });
  expect(status).toBe('completed');
  expect(complaints).toEqual([
    expect.stringMatching(/^Cannot write .*The run continues without this log\.$/),
  ]);
});

test('an unknown option is reported with the nearest name', () => {
  expect(() => tensorboard({ folder: 'x' } as never)).toThrow(/unknown option "folder"/);
  expect(() => tensorboard({ evry: 3 } as never)).toThrow(/Did you mean "every"\?/);
});
