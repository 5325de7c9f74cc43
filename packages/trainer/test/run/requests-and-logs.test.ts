import { type Hook, sharedKey } from '@hookline/hook-api';
import { regression, regressor } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';
import { watchedFit } from './watched-fit.js';

describe('ctx.requestValidation', () => {
  test('validates at the next step boundary, and training continues', async () => {
    const { seen } = await watchedFit({
      name: 'asker',
      onTrainBatchStart: (ctx, { batchIndex }) => {
        if (ctx.state.epoch === 0 && batchIndex === 1) ctx.requestValidation();
      },
    });
    const names = seen.names();
    expect(names.slice(0, 11)).toEqual([
      'onEpochStart',
      'onStepStart',
      'onTrainBatchStart',
      'onStepEnd',
      'onTrainBatchEnd',
      'onStepStart',
      'onTrainBatchStart',
      'onStepEnd',
      'onTrainBatchEnd',
      'onValidationStart',
      'onStepStart',
    ]);
    expect(names.filter((name) => name === 'onValidationStart')).toHaveLength(4);
    expect(seen.of('onTrainBatchStart').map(({ state }) => state.batchIndex)).toEqual([
      0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3,
    ]);
  });

  test('its metrics are in ctx.metrics at once', async () => {
    let seen: number | undefined;
    await watchedFit({
      name: 'asker',
      onTrainStart: (ctx) => ctx.requestValidation(),
      onTrainBatchStart: (ctx, { batchIndex }) => {
        if (batchIndex === 1) seen ??= ctx.metrics['val/loss'];
      },
    });
    expect(seen).toEqual(expect.any(Number));
  });
});

describe('ctx.requestCheckpoint', () => {
  const asker: Hook = {
    name: 'asker',
    onTrainBatchStart: (ctx, { batchIndex }) => {
      if (ctx.state.epoch === 0 && batchIndex === 1) {
        ctx.requestCheckpoint('I like this one');
        ctx.requestCheckpoint('me too');
      }
    },
  };

  test('has the checkpoint hook save at the next step boundary, once, with every reason', async () => {
    const saves: unknown[] = [];
    const provider: Hook = {
      name: 'provider',
      setup: (ctx) =>
        ctx.provideCheckpoints({
          find: async () => undefined,
          load: async () => {
            throw new Error('not asked');
          },
          save: async (...reasons) => void saves.push([ctx.state.step, ...reasons]),
        }),
    };
    await watchedFit(asker, { hooks: [provider, asker] });
    expect(saves).toEqual([[2, 'I like this one', ['I like this one', 'me too']]]);
  });

  test('is served at the end of an epoch and of the run too', async () => {
    const saves: unknown[] = [];
    const provider: Hook = {
      name: 'provider',
      setup: (ctx) =>
        ctx.provideCheckpoints({
          find: async () => undefined,
          load: async () => {
            throw new Error('not asked');
          },
          save: async (reason) => void saves.push(reason),
        }),
      onEpochEnd: (ctx) => ctx.requestCheckpoint(`epoch ${ctx.state.epoch}`),
      onTrainEnd: (ctx) => ctx.requestCheckpoint('the end'),
    };
    await watchedFit(asker, { hooks: [provider] });
    expect(saves).toEqual(['epoch 0', 'epoch 1', 'epoch 2', 'the end']);
  });

  test('without a reason names the hook', async () => {
    const { logger } = await watchedFit({ name: 'asker', onTrainStart: (ctx) => ctx.requestCheckpoint() });
    const warnings = logger.lines.filter(({ level }) => level === 'warn');
    expect(warnings[0]!.message).toContain('A checkpoint was requested (requested by hook "asker")');
  });

  test('without such a hook says how to get one', async () => {
    const { logger } = await watchedFit(asker);
    const warnings = logger.lines.filter(({ level }) => level === 'warn');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]!.message).toContain('I like this one');
    expect(warnings[0]!.message).toContain('npm install @hookline/hook-checkpoint');
  });
});

test.each([
  [
    'undefined',
    undefined,
    'Hook "asker" failed in onTrainStart at step 0: ctx.provideCheckpoints was given undefined',
  ],
  ['an object without its methods', { find: () => {} }, 'was given an object, expected { find, load, save }'],
])(
  'ctx.provideCheckpoints refuses %s, and the provider that was there stays',
  async (_what, given, message) => {
    let saves = 0;
    const provider: Hook = {
      name: 'provider',
      setup: (ctx) =>
        ctx.provideCheckpoints({
          find: async () => undefined,
          load: async () => {
            throw new Error('not asked');
          },
          save: async () => void saves++,
        }),
    };
    const asker: Hook = {
      name: 'asker',
      onTrainStart: (ctx) => ctx.provideCheckpoints(given as never),
      onEpochEnd: (ctx) => ctx.requestCheckpoint(),
    };
    const { logger } = await watchedFit(asker, { hooks: [provider, asker] });
    expect(logger.lines.find(({ level }) => level === 'error')!.message).toContain(message);
    expect(saves).toBe(3);
  },
);

test.each<[string, unknown, string]>([
  ['text', 'the weights are bad', 'the weights are bad'],
  ['an error', new Error('the weights are bad'), 'the weights are bad'],
  ['nothing', undefined, 'hook "mine" marked it as failed'],
  ['an object', { weights: 3n }, '[object Object]'],
])(
  'ctx.markFailed(%s) has the run count as failed, with a reason that is text',
  async (_what, reason, text) => {
    const { result } = await watchedFit({
      name: 'mine',
      onTrainStart: (ctx) => ctx.markFailed(reason as never),
    });
    expect(result).toMatchObject({ status: 'completed', failure: text, exitCode: 1 });
  },
);

describe('ctx.log', () => {
  test('reaches onLog once per boundary, with everything logged since the last', async () => {
    const told: unknown[] = [];
    await watchedFit({
      name: 'logger',
      onTrainBatchStart: (ctx, { batchIndex }) => {
        if (ctx.state.epoch === 0 && batchIndex < 2) ctx.log({ 'a/one': batchIndex });
      },
      onTrainBatchEnd: (ctx, { batchIndex }) => {
        if (ctx.state.epoch === 0 && batchIndex === 0) ctx.log({ 'a/two': 2 });
      },
      onEpochEnd: (ctx) => {
        if (ctx.state.epoch === 1) ctx.log({ 'a/epoch': 1 });
      },
      onTrainEnd: (ctx) => ctx.log({ 'a/end': 9 }),
      onLog: (_ctx, event) => void told.push(event),
    });
    expect(told).toEqual([
      { scope: 'step', step: 1, epoch: 0, values: { 'a/one': 0, 'a/two': 2 } },
      { scope: 'step', step: 2, epoch: 0, values: { 'a/one': 1 } },
      { scope: 'epoch', step: 8, epoch: 1, values: { 'a/epoch': 1 } },
      { scope: 'epoch', step: 12, epoch: 2, values: { 'a/end': 9 } },
    ]);
  });

  test('with accumulation waits for the end of the step, flushed or not', async () => {
    const told: unknown[] = [];
    await watchedFit(
      {
        name: 'logger',
        onTrainBatchEnd: (ctx, { batchIndex }) => {
          if (ctx.state.epoch === 0) ctx.log({ [`a/${batchIndex}`]: batchIndex });
        },
        onLog: (_ctx, { scope, step, values }) => void told.push([scope, step, Object.keys(values)]),
      },
      { accumulate: 3 },
    );
    expect(told).toEqual([
      ['step', 1, ['a/0', 'a/1', 'a/2']],
      ['step', 2, ['a/3']],
    ]);
  });

  test('is there in ctx.metrics at once, and is told after test and predict too', async () => {
    const told: unknown[] = [];
    const hook: Hook = {
      name: 'logger',
      onTestEnd: (ctx) => {
        ctx.log({ 'mine/value': 3 });
        told.push(ctx.metrics['mine/value']);
      },
      onPredictEnd: (ctx) => ctx.log({ 'mine/value': 4 }),
      onLog: (_ctx, { scope, values }) => void told.push([scope, values]),
    };
    const trainer = quietTrainer({ model: regressor(), hooks: [hook] });
    await trainer.test({ data: regression(4) });
    await trainer.predict({ data: regression(4) });
    expect(told).toEqual([3, ['epoch', { 'mine/value': 3 }], ['epoch', { 'mine/value': 4 }]]);
  });

  test('refuses a name without a prefix, and names the way out', async () => {
    const { logger } = await watchedFit({ name: 'logger', onTrainStart: (ctx) => ctx.log({ loss: 1 }) });
    const error = logger.lines.find(({ level }) => level === 'error');
    expect(error!.message).toContain('"loss"');
    expect(error!.message).toContain('train/loss');
  });

  test.each([
    ['undefined', undefined, 'undefined'],
    ['a tensor', tf.scalar(1), 'a tensor of shape []'],
    ['a date', new Date(0), 'a Date'],
    ['a bigint', 3n, 'the bigint 3n'],
    ['text', '0.5', 'the text "0.5"'],
    ['null', null, 'null'],
  ])(
    'refuses %s as a value, as an error of that hook, and nothing of it is kept',
    async (_what, value, kind) => {
      const told: unknown[] = [];
      const { logger } = await watchedFit({
        name: 'mine',
        onTrainStart: (ctx) => ctx.log({ 'mine/good': 1, 'mine/acc': value as never }),
        onTrainEnd: (ctx) =>
          void told.push(Object.keys(ctx.metrics).filter((name) => name.startsWith('mine/'))),
      });
      const errors = logger.lines.filter(({ level }) => level === 'error').map(({ message }) => message);
      expect(errors).toHaveLength(1);
      expect(errors[0]).toContain('Hook "mine" failed in onTrainStart at step 0: ');
      expect(errors[0]).toContain(`ctx.log was given ${kind} for "mine/acc", expected a number.`);
      expect(told).toEqual([[]]);
    },
  );

  test('takes NaN and infinity, which are numbers', async () => {
    const told: unknown[] = [];
    await watchedFit({
      name: 'mine',
      onTrainStart: (ctx) => ctx.log({ 'mine/nan': Number.NaN, 'mine/inf': Infinity }),
      onLog: (_ctx, { values }) => void told.push(values),
    });
    expect(told).toEqual([{ 'mine/nan': Number.NaN, 'mine/inf': Infinity }]);
  });

  test('of something that is not an object says what it takes', async () => {
    const { logger } = await watchedFit({ name: 'mine', onTrainStart: (ctx) => ctx.log(undefined as never) });
    expect(logger.lines.find(({ level }) => level === 'error')!.message).toContain(
      "ctx.log was given undefined, expected numbers by name: ctx.log({ 'my-hook/speed': 3 }).",
    );
  });

  test('takes 20,000 calls in a step', async () => {
    let told = 0;
    await watchedFit({
      name: 'mine',
      onTrainStart: (ctx) => {
        // Took five minutes when each call copied what was there before.
        for (let call = 0; call < 20_000; call++) ctx.log({ [`mine/${call}`]: call });
      },
      onLog: (_ctx, { values }) => {
        told = Object.keys(values).length;
      },
    });
    expect(told).toBe(20_000);
  });
});

test('ctx.shared carries data from hook to hook, for one run', async () => {
  const quality = sharedKey<number>('quality');
  const received: unknown[] = [];
  const producer: Hook = {
    name: 'producer',
    setup: (ctx) => void received.push(ctx.shared.has(quality)),
    onTrainBatchEnd: (ctx, { batchIndex }) => ctx.shared.set(quality, batchIndex / 10),
  };
  const consumer: Hook = {
    name: 'consumer',
    onEpochEnd: (ctx) => void received.push(ctx.shared.get(quality)),
  };
  const trainer = quietTrainer({ model: regressor(), hooks: [producer, consumer] });
  for (let run = 0; run < 2; run++) {
    await trainer.fit({ train: regression(12), epochs: 1, batchSize: 4 });
  }
  expect(received).toEqual([false, 0.2, false, 0.2]);
});
