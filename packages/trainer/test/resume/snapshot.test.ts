import type { Hook, HookContext, HostTensor, JsonValue, Snapshot } from '@hookline/hook-api';
import { errorOf, regression, regressor, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import type { OptimizerOption, TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const data = regression(8);
const FIT = { train: data, epochs: 2, batchSize: 4 };

/** Runs `act` at the end of a fit of 4 steps, and returns what it returns. */
async function atEnd<Result>(
  act: (ctx: HookContext) => Promise<Result>,
  options: Partial<TrainerOptions> = {},
): Promise<Result> {
  let result: Result | undefined;
  const hook: Hook = {
    name: 'actor',
    onError: 'fail',
    onTrainEnd: async (ctx) => {
      result = await act(ctx);
    },
  };
  const { hooks = [], ...rest } = options;
  const trainer = quietTrainer({ model: regressor(), ...rest, hooks: [hook, ...(hooks as Hook[])] });
  await trainer.fit(FIT);
  return result!;
}

/** All that a fit of 4 steps from here comes to. */
async function fitFrom(
  snapshot: Snapshot | undefined,
  options: Partial<TrainerOptions>,
): Promise<number[][]> {
  const model = regressor();
  const restore: Hook = {
    name: 'restore',
    onError: 'fail',
    onInit: async (ctx) => {
      if (snapshot) await ctx.restore(snapshot);
    },
  };
  const trainer = quietTrainer({ model, ...options, hooks: [restore] });
  await trainer.fit(FIT);
  return weightsOf(model);
}

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

test('metrics and losses that are no numbers come back as they were', async () => {
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

describe('restore', () => {
  test('of the model puts the weights back and leaves the rest', async () => {
    const model = regressor();
    const seen: unknown[] = [];
    await atEnd(
      async (ctx) => {
        const snapshot = await ctx.snapshot({ include: 'model' });
        for (const { variable } of [{ variable: model.getWeights()[0] as tf.Variable }]) {
          variable.assign(tf.zerosLike(variable));
        }
        const before = ctx.state.step;
        const report = await ctx.restore(snapshot);
        seen.push(report, ctx.state.step - before, [...snapshot.model['hidden/kernel']!.data]);
      },
      { model },
    );
    expect(seen).toEqual([
      {
        restored: ['hidden/kernel', 'hidden/bias', 'out/kernel', 'out/bias'],
        missing: [],
        unexpected: [],
      },
      0,
      weightsOf(model)[0],
    ]);
  });

  const optimizers: [string, OptimizerOption][] = [
    ['sgd with momentum', { name: 'sgd', lr: 0.05, momentum: 0.9 }],
    ['adam', { name: 'adam', lr: 0.02 }],
    ['adamw', { name: 'adamw', lr: 0.02 }],
    [
      'two optimizers',
      [
        { name: 'adam', params: 'hidden/*' },
        { name: 'sgd', momentum: 0.5 },
      ],
    ],
    ['a momentum of tfjs', tf.train.momentum(0.05, 0.9)],
  ];
  test.each(optimizers)(
    '4 steps, a snapshot and 4 steps equal 4 steps from it in a new trainer: %s',
    async (_name, optimizer) => {
      const model = regressor();
      let snapshot: Snapshot | undefined;
      const trainer = quietTrainer({
        model,
        optimizer,
        hooks: [
          {
            name: 'taker',
            onTrainEnd: async (ctx) => {
              snapshot ??= await ctx.snapshot();
            },
          },
        ],
      });
      await trainer.fit(FIT);
      await trainer.fit(FIT);
      // The counters of the snapshot are those of the end, which would leave nothing to do.
      const { counters: _counters, ...state } = snapshot!.state!;
      const counters = { epoch: 0, completedEpochs: 0, batchesDone: 0, step: 0, elapsedSeconds: 0 };
      expect(await fitFrom({ ...snapshot!, state: { ...state, counters } }, { optimizer })).toEqual(
        weightsOf(model),
      );
      // Without the optimizer's state it is another run.
      expect(
        await fitFrom({ version: 1, model: snapshot!.model }, { optimizer: copyOf(optimizer) }),
      ).not.toEqual(weightsOf(model));
    },
  );

  test('brings back learning rate, scale, momentum and weight decay', async () => {
    const optimizer: OptimizerOption = { name: 'sgd', lr: 0.1, momentum: 0.9, weightDecay: 0.1 };
    const changed = { lr: 0.3, lrScale: 0.5, momentum: 0.7, weightDecay: 0.2 };
    const snapshot = await atEnd(
      async (ctx) => {
        Object.assign(ctx.state.optimizers[0]!.groups[0]!, changed);
        return ctx.snapshot();
      },
      { optimizer },
    );
    const group = await atEnd(
      async (ctx) => {
        await ctx.restore(snapshot);
        return { ...ctx.state.optimizers[0]!.groups[0]! };
      },
      { optimizer },
    );
    expect(group).toEqual({ name: 'sgd', ...changed });
  });

  test('leaks no tensor, with our optimizers and with those of tfjs', async () => {
    for (const optimizer of ['adam', tf.train.adam(0.01), tf.train.sgd(0.01)] as const) {
      const growth = await atEnd(
        async (ctx) => {
          await ctx.restore(await ctx.snapshot());
          const before = tf.memory().numTensors;
          await ctx.restore(await ctx.snapshot());
          return tf.memory().numTensors - before;
        },
        { optimizer },
      );
      expect(growth).toBe(0);
    }
  });

  test('lists every difference and changes nothing', async () => {
    const snapshot = await atEnd((ctx) => ctx.snapshot());
    const model = tfl.sequential({
      layers: [
        tfl.layers.dense({ name: 'hidden', units: 5, inputShape: [3] }),
        tfl.layers.dense({ name: 'head', units: 1, useBias: false }),
      ],
    });
    const before = weightsOf(model);
    const error = await errorOf(
      quietTrainer({
        model,
        optimizer: 'sgd',
        hooks: [
          { name: 'restore', onError: 'fail', onInit: async (ctx) => void (await ctx.restore(snapshot)) },
        ],
      }).fit(FIT),
    );
    expect(error.code).toBe('CHECKPOINT_MISMATCH');
    for (const line of [
      'hidden/kernel: saved [3,4], model [3,5]',
      'hidden/bias: saved [4], model [5]',
      'head/kernel: not in the snapshot',
      'out/kernel: not in the model',
      'out/bias: not in the model',
      'optimizer 0/out/bias/m: no such state here',
      'strict: false',
    ]) {
      expect(error.message).toContain(line);
    }
    expect(weightsOf(model)).toEqual(before);
  });

  test('with strict: false loads what fits and reports the rest', async () => {
    const snapshot = await atEnd((ctx) => ctx.snapshot());
    const model = tfl.sequential({
      layers: [
        tfl.layers.dense({ name: 'hidden', units: 4, inputShape: [3], activation: 'tanh' }),
        tfl.layers.dense({ name: 'head', units: 1 }),
      ],
    });
    const report = await atEnd((ctx) => ctx.restore(snapshot, { strict: false }), {
      model,
      optimizer: 'sgd',
    });
    expect(report.restored).toEqual(['hidden/kernel', 'hidden/bias']);
    expect(report.missing).toEqual(['head/kernel', 'head/bias']);
    expect(report.unexpected).toContain('out/kernel');
    expect(report.unexpected).toContain('optimizer 0/hidden/kernel/m');
    expect(weightsOf(model)[0]).toEqual([...snapshot.model['hidden/kernel']!.data]);
  });
});

describe('hook states', () => {
  const counting = (start: number): Hook & { count: number; loaded: unknown } => ({
    name: 'counting',
    count: start,
    loaded: undefined,
    saveState() {
      return { json: { count: this.count }, tensors: { trace: trace(this.count) } };
    },
    loadState(state) {
      this.loaded = state;
    },
  });
  const trace = (value: number): HostTensor => ({
    dtype: 'float32',
    shape: [2],
    data: Float32Array.of(value, value + 1),
  });

  test('go by the hook’s name, tensors beside JSON', async () => {
    const snapshot = await atEnd((ctx) => ctx.snapshot(), { hooks: [counting(5)] });
    expect(snapshot.hooks).toEqual({ 'counting/trace': trace(5) });
    expect((snapshot.state!.hooks as Record<string, JsonValue>).counting).toEqual({
      state: { count: 5 },
      tensors: true,
    });
    expect(JSON.stringify(snapshot.state)).not.toContain('Float32');

    const other = counting(0);
    await atEnd((ctx) => ctx.restore(snapshot), { hooks: [other] });
    expect(other.loaded).toEqual({ json: { count: 5 }, tensors: { trace: trace(5) } });
  });

  test('may hold tensors of the device, which stay the hook’s', async () => {
    const mine = tf.tensor1d([5, 6]);
    const holding: Hook = { ...counting(0), saveState: () => ({ json: null, tensors: { trace: mine } }) };
    const snapshot = await atEnd((ctx) => ctx.snapshot(), { hooks: [holding] });
    expect(snapshot.hooks).toEqual({ 'counting/trace': trace(5) });
    expect(mine.isDisposed).toBe(false);
    const other = counting(0);
    await atEnd((ctx) => ctx.restore(snapshot), { hooks: [other] });
    expect(other.loaded).toEqual({ json: null, tensors: { trace: trace(5) } });
    mine.dispose();
  });

  test('that are plain JSON come back as they were, whatever their names', async () => {
    for (const state of [7, 'text', [1, { a: null }], { tensors: {} }, { json: 1, tensors: { a: 1 } }]) {
      const saving: Hook = { ...counting(0), saveState: () => state as never };
      const snapshot = await atEnd((ctx) => ctx.snapshot(), { hooks: [saving] });
      const other = counting(0);
      await atEnd((ctx) => ctx.restore(snapshot), { hooks: [other] });
      expect(other.loaded).toEqual(state);
    }
  });

  test('keep numbers that JSON has no words for', async () => {
    const state = {
      best: Infinity,
      worst: -Infinity,
      last: [Number.NaN, -0],
      $number: 'text',
      $$a: { $b: 1 },
    };
    const saving: Hook = { ...counting(0), saveState: () => state };
    const snapshot = await atEnd((ctx) => ctx.snapshot(), { hooks: [saving] });
    const other = counting(0);
    const file: Snapshot = { ...snapshot, state: JSON.parse(JSON.stringify(snapshot.state)) };
    await atEnd((ctx) => ctx.restore(file), { hooks: [other] });
    expect(other.loaded).toEqual(state);
    expect(Object.is((other.loaded as typeof state).last[1], -0)).toBe(true);
  });

  const loop: { self?: unknown } = {};
  loop.self = loop;
  class Record_ {
    best = 1;
  }
  test.each<[string, unknown, string]>([
    ['a Map', { seen: new Map() }, '"seen" is a Map'],
    ['a Set in a list', { all: [1, new Set()] }, '"all[1]" is a Set'],
    ['undefined', { best: { value: undefined } }, '"best.value" is undefined'],
    ['undefined in a list', [1, undefined], 'item [1] is undefined'],
    ['a function', { next: () => {} }, '"next" is a function'],
    ['a date', { at: new Date() }, '"at" is a Date'],
    ['a bigint', { count: 1n }, '"count" is a bigint'],
    ['a symbol', Symbol('s'), 'it is a symbol'],
    ['an array of numbers beside no tensors', { trace: Float32Array.of(1) }, '"trace" is a Float32Array'],
    ['an object of a class', { record: new Record_() }, '"record" is a Record_'],
    ['an object that holds itself', loop, '"self" is the object that it is in'],
    ['a tensor', { mean: tf.scalar(1) }, '"mean" is a Tensor'],
  ])('with %s are refused, by the names of the hook and the place', async (_what, state, message) => {
    const saving: Hook = { ...counting(0), saveState: () => state as never };
    const error = await errorOf(atEnd((ctx) => ctx.snapshot(), { hooks: [saving] }));
    expect(error.code).toBe('HOOK_STATE');
    expect(error.message).toContain(`hook "counting" saves cannot be kept: ${message}.`);
    expect(error.message).toContain('saveState() returns JSON');
  });

  test('that cannot be saved do not disturb a run of which no snapshot is taken', async () => {
    const saving: Hook = {
      ...counting(0),
      saveState: () => new Map() as never,
      onTrainBatchEnd: (ctx) => ctx.stop('enough'),
    };
    const trainer = quietTrainer({ model: regressor(), hooks: [saving] });
    expect((await trainer.fit(FIT)).status).toBe('stopped');
  });

  test('of hooks that are not here are reported, and no code is loaded for them', async () => {
    const snapshot = await atEnd((ctx) => ctx.snapshot(), { hooks: [counting(5)] });
    const report = await atEnd((ctx) => ctx.restore(snapshot));
    expect(report.unexpected).toEqual(['hook counting']);
  });
});

/** An optimizer of tfjs keeps its state in itself: a fresh one for a fresh run. */
function copyOf(option: OptimizerOption): OptimizerOption {
  return 'applyGradients' in Object(option) ? tf.train.momentum(0.05, 0.9) : option;
}
