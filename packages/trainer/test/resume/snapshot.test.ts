import type { Hook, Snapshot } from '@hookline/hook-api';
import { regressor, weightsOf } from '@hookline/test-support';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { atEnd, FIT } from '../support/at-end.js';
import { quietTrainer } from '../support/quiet-trainer.js';

describe('a snapshot', () => {
  test('of the model holds the weights by path, by value', async () => {
    const model = regressor();
    const taken: Snapshot[] = [];
    const trainer = quietTrainer({
      model,
      hooks: [
        {
          name: 'taker',
          onEpochEnd: async (ctx) => void taken.push(await ctx.snapshot({ include: 'model' })),
        },
      ],
    });
    await trainer.fit(FIT);
    const [first, last] = taken;
    expect(Object.keys(last!)).toEqual(['version', 'model']);
    expect(Object.entries(last!.model).map(([path, { shape, dtype }]) => [path, shape, dtype])).toEqual([
      ['hidden/kernel', [3, 4], 'float32'],
      ['hidden/bias', [4], 'float32'],
      ['out/kernel', [4, 1], 'float32'],
      ['out/bias', [1], 'float32'],
    ]);
    expect(Object.values(last!.model).map(({ data }) => [...data])).toEqual(weightsOf(model));
    expect([...first!.model['out/bias']!.data]).not.toEqual([...last!.model['out/bias']!.data]);
  });

  test('of everything is tensors and plain JSON', async () => {
    const snapshot = await atEnd((ctx) => ctx.snapshot());
    expect(Object.keys(snapshot)).toEqual(['version', 'model', 'optimizer', 'hooks', 'partial', 'state']);
    expect(JSON.parse(JSON.stringify(snapshot.state))).toEqual(snapshot.state);
    expect(snapshot.state).toMatchObject({
      counters: { epoch: 1, completedEpochs: 2, batchesDone: 0, step: 4 },
      optimizers: [[{ lr: 0.001, lrScale: 1 }]],
    });
    expect(Object.keys(snapshot.optimizer!).slice(0, 3)).toEqual([
      '0/step',
      '0/hidden/kernel/m',
      '0/hidden/kernel/v',
    ]);
  });

  test('holds moving averages too', async () => {
    const model = tfl.sequential({
      layers: [
        tfl.layers.batchNormalization({ inputShape: [3] }),
        tfl.layers.dense({ units: 1, name: 'out' }),
      ],
    });
    const snapshot = await atEnd((ctx) => ctx.snapshot({ include: 'model' }), { model });
    expect(Object.keys(snapshot.model)).toContain('batch_normalization_1/moving_mean');
  });

  test.each(['model', 'all'] as const)(
    'for a checkpoint is told before it is saved (%s)',
    async (include) => {
      const told: unknown[] = [];
      const listener: Hook = {
        name: 'listener',
        onBeforeCheckpointSave: (_ctx, { reason, path, snapshot }) => {
          told.push([reason, path]);
          snapshot.model['extra/value'] = { dtype: 'float32', shape: [1], data: Float32Array.of(7) };
        },
      };
      const checkpoint = { reason: 'why not', path: 'somewhere' };
      const snapshot = await atEnd((ctx) => ctx.snapshot({ include, checkpoint }), { hooks: [listener] });
      expect(told).toEqual([['why not', 'somewhere']]);
      expect(snapshot.model['extra/value']!.data[0]).toBe(7); // what a listener adds is part of it
      await atEnd((ctx) => ctx.snapshot({ include }), { hooks: [listener] });
      expect(told).toHaveLength(1); // not a checkpoint: not told
    },
  );
});

test('metrics and losses that are not numbers come back as they were', async () => {
  const snapshot = await atEnd(async (ctx) => {
    ctx.log({ 'mine/worst': Number.NaN, 'mine/best': -Infinity });
    return ctx.snapshot();
  });
  const metrics = await atEnd(async (ctx) => {
    await ctx.restore({ ...snapshot, state: JSON.parse(JSON.stringify(snapshot.state)) });
    return { ...ctx.metrics };
  });
  expect(metrics).toMatchObject({ 'mine/worst': Number.NaN, 'mine/best': -Infinity });
});

test('a snapshot that is not awaited shows the moment of the call', async () => {
  const pending: Promise<Snapshot>[] = [];
  const expected: number[][] = [];
  const model = regressor();
  const trainer = quietTrainer({
    model,
    optimizer: { name: 'adam', lr: 0.1 },
    hooks: [
      {
        name: 'taker',
        onStepEnd: (ctx) => {
          pending.push(ctx.snapshot());
          expected.push([...model.getWeights()[0]!.dataSync()]);
        },
      },
    ],
  });
  await trainer.fit(FIT);
  const taken = await Promise.all(pending);
  expect(taken.map((snapshot) => [...snapshot.model['hidden/kernel']!.data])).toEqual(expected);
  expect(taken.map((snapshot) => snapshot.optimizer!['0/step']!.data[0])).toEqual([1, 2, 3, 4]);
});
