import type { Hook, Snapshot } from '@hookline/hook-api';
import { errorOf, regressor, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import type { OptimizerOption, TrainerOptions } from '../../src/index.js';
import { atEnd, FIT } from '../support/at-end.js';
import { quietTrainer } from '../support/quiet-trainer.js';

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

  test('refuses a snapshot that makes no sense before anything is changed, as a resume does', async () => {
    const outcome = await atEnd(async (ctx) => {
      const snapshot = await ctx.snapshot();
      const counters = { ...snapshot.state!.counters, batchesDone: -3 };
      const bad = { ...snapshot, state: { ...snapshot.state!, counters } };
      const before = ctx.state.step;
      return { error: await errorOf(ctx.restore(bad)), isSame: ctx.state.step === before };
    });
    expect(outcome.error).toMatchObject({
      code: 'BAD_CHECKPOINT',
      message: expect.stringMatching(/ctx\.restore\(\).*batchesDone/),
    });
    expect(outcome.isSame).toBe(true);
  });

  test('without strict, leaves a momentum out that the optimizer cannot have', async () => {
    const snapshot = await atEnd((ctx) => ctx.snapshot(), {
      optimizer: { name: 'sgd', lr: 0.3, momentum: 0.9 },
    });
    const group = await atEnd(
      async (ctx) => {
        await ctx.restore(snapshot, { strict: false });
        return { ...ctx.state.optimizers[0]!.groups[0]! };
      },
      { optimizer: { name: 'sgd', lr: 0.1 } },
    );
    expect(group).toEqual({ name: 'sgd', lr: 0.3, lrScale: 1 });
  });

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

/** An optimizer of tfjs keeps its state in itself: a fresh one for a fresh run. */
function copyOf(option: OptimizerOption): OptimizerOption {
  return 'applyGradients' in Object(option) ? tf.train.momentum(0.05, 0.9) : option;
}
