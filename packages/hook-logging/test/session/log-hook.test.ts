import type { Hook } from '@hookline/hook-api';
import { leaveHistograms } from '@hookline/hook-api/helpers';
import { readsPerBatch, samples, tinyRun } from '@hookline/test-runs';
import type { TrainerOptions } from '@hookline/trainer';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { type LogBackend, type LogRecord, type LogRun, logHook } from '../../src/index.js';

class Collector implements LogBackend {
  run: LogRun | undefined;
  readonly records: LogRecord[] = [];
  readonly calls: string[] = [];

  open(run: LogRun): void {
    this.run = run;
    this.calls.push('open');
  }
  write(record: LogRecord): void {
    this.records.push(record);
  }
  flush(): void {
    this.calls.push('flush');
  }
  async close(): Promise<void> {
    this.calls.push('close');
  }
}

const FIT = { train: samples(80), validation: samples(8), epochs: 2, batchSize: 2 };

test("a backend of one's own gets every event in order, is flushed after each epoch, and closed", async () => {
  const made: Collector[] = [];
  const create = () => {
    made.push(new Collector());
    return made.at(-1)!;
  };
  const { trainer } = tinyRun([logHook('mine', create, { every: 20 })]);
  await trainer.fit(FIT);
  const { records, calls } = made.at(-1)!;
  const epoch = ['epoch-start', 'batch', 'batch', 'validation', 'epoch'];
  expect(records.map(({ event }) => event)).toEqual(['start', ...epoch, ...epoch, 'end']);
  expect(calls).toEqual(['open', 'flush', 'flush', 'close']);
  await trainer.fit(FIT);
  expect(made.at(-1)!.calls[0]).toBe('open');
  expect(made.at(-1)).not.toBe(made.at(-2));
});

test('a validation or test after a fit is logged at the step where the fit ended', async () => {
  let latest = new Collector();
  const { trainer } = tinyRun([logHook('mine', () => (latest = new Collector()))]);
  await trainer.fit(FIT);
  await trainer.validate({ data: samples(4) });
  expect(latest.records).toEqual([
    expect.objectContaining({ event: 'validation', stage: 'validate', epoch: 1, step: 80 }),
  ]);
  await trainer.test({ data: samples(4) });
  expect(latest.records).toEqual([expect.objectContaining({ event: 'test', epoch: 1, step: 80 })]);
});

test('a backend that fails in any way is reported once and dropped, and training is not affected', async () => {
  const plain = tinyRun([]);
  const { history } = await plain.trainer.fit(FIT);
  const weights = await plain.weights();
  const broken = (): never => {
    throw new Error('broken');
  };
  const rejected = async () => broken();
  const nothing = { open: () => {}, write: () => {}, close: () => {} };
  const backends: LogBackend[] = [
    { ...nothing, open: broken },
    { ...nothing, write: broken },
    { ...nothing, flush: broken },
    { ...nothing, flush: rejected },
    { ...nothing, close: broken },
    { ...nothing, close: rejected },
    {
      ...nothing,
      // Later, but not in a timer: a fast machine trains these epochs before one fires.
      open: ({ fail }) => {
        for (const reason of ['broken', 'again']) queueMicrotask(() => fail(reason));
      },
    },
  ];
  for (const backend of backends) {
    const { trainer, weights: after, complaints } = tinyRun([logHook('mine', () => backend, { every: 1 })]);
    const result = await trainer.fit(FIT);
    expect(complaints).toEqual(['broken. The run continues without this log.']);
    expect(result.history).toEqual(history);
    expect(await after()).toEqual(weights);
  }
});

test('nothing is read from the device for a backend that has failed', async () => {
  const without = await readsPerBatch([], 40);
  const write = (record: LogRecord) => {
    if (record.event === 'batch' && record.batch === 19) throw new Error('broken');
  };
  const hook = logHook('mine', () => ({ open: () => {}, write, close: () => {} }), { every: 10 });
  const counts = await readsPerBatch([hook], 40);
  expect(counts.flatMap((count, batch) => (count === without[batch] ? [] : [batch]))).toEqual([9, 19]);
});

test('a run that is stopped, or fails, has its last record before the backend is closed', async () => {
  for (const [hook, last] of [
    [{ name: 'stops', onTrainBatchEnd: (ctx) => ctx.stop('enough') }, 'end'],
    [{ name: 'fails', onError: 'fail', onEpochEnd: () => Promise.reject(new Error('no')) }, 'error'],
  ] as [Hook, string][]) {
    const backend = new Collector();
    await tinyRun([hook, logHook('mine', () => backend)])
      .trainer.fit(FIT)
      .catch(() => {});
    expect(backend.records.at(-1)!.event).toBe(last);
    expect(backend.calls.at(-1)).toBe('close');
  }
});

test('the rates of several optimizers and groups have a name each', async () => {
  const backend = new Collector();
  const halves: Hook = {
    name: 'halves',
    onTrainStart: (ctx) => {
      for (const { groups } of ctx.state.optimizers) for (const group of groups) group.lrScale = 0.5;
    },
  };
  const model = () =>
    sequential({
      layers: ['a', 'b', 'c', 'd'].map((name) =>
        layers.dense({ name, units: name === 'd' ? 1 : 2, useBias: false, inputShape: [2] }),
      ),
    });
  const optimizer: TrainerOptions['optimizer'] = [
    { name: 'adam', lr: 1, params: 'a/**' },
    { name: 'adam', lr: 2, params: 'b/**' },
    {
      name: 'sgd',
      params: ['c/**', 'd/**'],
      groups: [
        { name: 'a', params: 'c/**', lr: 3 },
        { name: 'b', params: 'd/**', lr: 4 },
      ],
    },
  ];
  const hooks = [halves, logHook('mine', () => backend, { every: 40 })];
  await tinyRun(hooks, { model, optimizer }).trainer.fit({ ...FIT, epochs: 1 });
  const batch = backend.records.find(({ event }) => event === 'batch');
  expect(batch).toMatchObject({ lr: { adam: 0.5, 'adam-1': 1, 'sgd/a': 1.5, 'sgd/b': 2 } });
});

const histogram = (step: number) => ({
  ...{ name: 'w', step, min: 0, max: 1, num: 2, sum: 1, sumSquares: 1 },
  ...{ edges: [0, 1], counts: [2] },
});
const leaves: Hook = {
  name: 'leaves',
  onStepEnd(ctx, { step }) {
    if (step % 20 !== 0) return;
    leaveHistograms(ctx.shared, [histogram(step)]);
    ctx.log({ 'my/score': 1 });
  },
};

test('a backend that takes histograms gets each of them once, after the values of its step', async () => {
  const backend = Object.assign(new Collector(), { takesHistograms: true });
  await tinyRun([leaves, logHook('mine', () => backend, { every: false })]).trainer.fit({
    ...FIT,
    epochs: 1,
  });
  const told = backend.records.flatMap((record) => {
    if (record.event === 'log') return [`values of step ${record.step}`];
    return record.event === 'histograms'
      ? record.histograms.map(({ step }) => `histogram of step ${step}`)
      : [];
  });
  expect(told).toEqual([
    ...['values of step 20', 'histogram of step 20'],
    ...['values of step 40', 'histogram of step 40'],
  ]);
});

test('a backend that does not ask for histograms gets none', async () => {
  const backend = new Collector();
  await tinyRun([leaves, logHook('mine', () => backend)]).trainer.fit(FIT);
  expect(backend.records.map(({ event }) => event)).not.toContain('histograms');
});

test('a log that is added during the run has what follows, at the right steps', async () => {
  const backend = new Collector();
  const adds: Hook = {
    name: 'adds',
    async onEpochStart(_ctx, { epoch }) {
      if (epoch === 1) await run.trainer.hooks.manager.add(logHook('late', () => backend, { every: 20 }));
    },
  };
  const run = tinyRun([adds]);
  await run.trainer.fit(FIT);
  const batches = backend.records.filter(({ event }) => event === 'batch');
  expect(batches.map(({ epoch, step }) => [epoch, step])).toEqual([
    [1, 60],
    [1, 80],
  ]);
  expect(backend.records.at(-1)).toMatchObject({ event: 'end', status: 'completed' });
  expect(backend.calls.at(-1)).toBe('close');
});
