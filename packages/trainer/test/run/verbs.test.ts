import type { Hook, HookContext } from '@hookline/hook-api';
import {
  collectingLogger,
  errorOf,
  recorder,
  regression,
  regressor,
  weightsOf,
} from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import type { TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';
import { watchedFit } from './watched-fit.js';

describe('ctx.stop', () => {
  const stopAt = (batchIndex: number, epoch = 1): Hook => ({
    name: 'stopper',
    onTrainBatchStart: (ctx, event) => {
      if (ctx.state.epoch === epoch && event.batchIndex === batchIndex) ctx.stop('seen enough');
    },
  });

  test('ends the run after the current batch; epoch and run still have their end', async () => {
    const { seen, result } = await watchedFit(stopAt(1));
    expect(result.status).toBe('stopped');
    expect(result.stopReason).toBe('seen enough');
    expect(seen.of('onTrainBatchEnd')).toHaveLength(4 + 2);
    expect(seen.names().slice(-5)).toEqual([
      'onTrainBatchStart',
      'onStepEnd',
      'onTrainBatchEnd',
      'onEpochEnd',
      'onTrainEnd',
    ]);
    expect(seen.of('onTrainEnd')[0]).toMatchObject({
      payload: { status: 'stopped', stopReason: 'seen enough' },
      state: { epoch: 1 },
    });
  });

  test('does not count the epoch that it broke off, and does not validate it', async () => {
    const { seen, result } = await watchedFit(stopAt(1));
    expect(seen.of('onTrainEnd')[0]!.state.completedEpochs).toBe(1);
    expect(seen.of('onValidationStart')).toHaveLength(1);
    expect(result.history).toHaveLength(2);
    expect(result.history[1]).toEqual({ 'train/loss': expect.any(Number) });
  });

  test('is sticky, and the first reason is kept', async () => {
    const { result } = await watchedFit({
      name: 'stopper',
      onTrainBatchStart: (ctx) => ctx.stop('first'),
      onTrainBatchEnd: (ctx) => ctx.stop('second'),
      onEpochEnd: (ctx) => ctx.stop('third'),
    });
    expect(result.stopReason).toBe('first');
  });

  test.each<[string, unknown, string]>([
    ['without a reason', undefined, 'hook "stopper" stopped the run'],
    ['with an empty reason', ' ', 'hook "stopper" stopped the run'],
    ['with an error as the reason', new Error('diverged'), 'diverged'],
  ])('%s stops too', async (_how, reason, expected) => {
    const { result } = await watchedFit({
      name: 'stopper',
      onTrainBatchEnd: (ctx) => ctx.stop(reason as string),
    });
    expect([result.status, result.stopReason]).toEqual(['stopped', expected]);
    expect(result.history).toHaveLength(1);
  });

  test('trainer.stop() without a reason stops too', async () => {
    const trainer = quietTrainer({
      model: regressor(),
      hooks: [{ name: 'caller', onTrainBatchEnd: () => trainer.stop() }],
    });
    const { status, stopReason } = await trainer.fit({ train: regression(16), epochs: 3, batchSize: 4 });
    expect([status, stopReason]).toEqual(['stopped', 'trainer.stop() was called']);
  });

  test('aborts ctx.signal with the reason', async () => {
    let before: boolean | undefined;
    let signal: AbortSignal | undefined;
    await watchedFit({
      name: 'stopper',
      onTrainBatchEnd: (ctx) => {
        before = ctx.signal.aborted;
        ctx.stop('enough');
        signal = ctx.signal;
      },
    });
    expect(before).toBe(false);
    expect(signal!.aborted).toBe(true);
    expect(signal!.reason).toBe('enough');
  });

  test('in onTrainStart and in onEpochStart trains no batch', async () => {
    for (const event of ['onTrainStart', 'onEpochStart'] as const) {
      const { seen, result } = await watchedFit({
        name: 'stopper',
        [event]: (ctx: HookContext) => ctx.stop('no'),
      });
      expect(result.status).toBe('stopped');
      expect(seen.of('onTrainBatchStart')).toHaveLength(0);
      expect(seen.of('onTrainEnd')).toHaveLength(1);
    }
  });

  test('in onEpochEnd and in onValidationEnd ends after a whole epoch', async () => {
    for (const event of ['onValidationEnd', 'onEpochEnd'] as const) {
      const { seen, result } = await watchedFit({
        name: 'stopper',
        [event]: (ctx: HookContext) => ctx.stop('ok'),
      });
      expect(result.history).toHaveLength(1);
      expect(seen.of('onTrainEnd')[0]!.state.completedEpochs).toBe(1);
    }
  });

  test.each(['predict', 'validate', 'test'] as const)(
    'in %s() is an error: a part would pass for all',
    async (call) => {
      const event = {
        predict: 'onPredictBatchEnd',
        validate: 'onValidationBatchEnd',
        test: 'onTestBatchEnd',
      }[call];
      let stopAt = 1;
      const stop = {
        name: 'stop',
        [event]: (ctx: HookContext, { batchIndex }: { batchIndex: number }) => {
          if (batchIndex === stopAt) ctx.stop('seen enough');
        },
      };
      const trainer = quietTrainer({ model: regressor(), hooks: [stop] });
      const data = regression(12);
      const error = await errorOf(trainer[call]({ data, batchSize: 4 }));
      expect(error.code).toBe('STOPPED');
      expect(error.message).toContain(`${call}() was stopped: seen enough.`);
      stopAt = 2; // the last batch: everything is there
      expect(await trainer[call]({ data, batchSize: 4 })).toBeDefined();
    },
  );

  test('in the middle of an accumulated step leaves the weights as of the last whole one', async () => {
    const { seen } = await watchedFit(stopAt(0, 0), { accumulate: 4 });
    expect(seen.names()).toEqual([
      'onEpochStart',
      'onStepStart',
      'onTrainBatchStart',
      'onTrainBatchEnd',
      'onEpochEnd',
      'onTrainEnd',
    ]);
  });
});

describe('ctx.skipBatch', () => {
  const skipAt = (...batches: number[]): Hook => ({
    name: 'skipper',
    onTrainBatchStart: (ctx, { batchIndex }) => {
      if (batches.includes(batchIndex)) ctx.skipBatch();
    },
  });

  test('leaves the batch out: it has its end event, without a loss', async () => {
    const { seen } = await watchedFit(skipAt(1));
    const ends = seen.of('onTrainBatchEnd').slice(0, 4);
    expect(ends.map(({ payload }) => payload.skipped)).toEqual([false, true, false, false]);
    expect(ends[1]!.payload).toMatchObject({ batchIndex: 1, loss: undefined, metrics: {} });
    expect(seen.of('onStepEnd')).toHaveLength(9);
  });

  test('trains as if the batch were not there', async () => {
    const model = regressor();
    const { xs, ys } = regression(16);
    const without = (rows: number[][]) => [...rows.slice(0, 4), ...rows.slice(8)];
    await quietTrainer({ model }).fit({
      train: { xs: without(xs), ys: without(ys) },
      epochs: 3,
      batchSize: 4,
      shuffle: false,
    });
    expect((await watchedFit(skipAt(1))).weights).toEqual(weightsOf(model));
  });

  test('does not count toward accumulation, and a step starts once', async () => {
    const { seen } = await watchedFit(skipAt(0, 2), { accumulate: 2 });
    expect(seen.names().slice(0, 12)).toEqual([
      'onEpochStart',
      'onStepStart',
      'onTrainBatchStart',
      'onTrainBatchEnd',
      'onTrainBatchStart',
      'onTrainBatchEnd',
      'onTrainBatchStart',
      'onTrainBatchEnd',
      'onTrainBatchStart',
      'onStepEnd',
      'onTrainBatchEnd',
      'onValidationStart',
    ]);
  });

  test('is for the batch in which it is called: too late a call does not hit the next', async () => {
    const { seen } = await watchedFit({
      name: 'late',
      onTrainBatchEnd: (ctx) => ctx.skipBatch(),
      onValidationBatchEnd: (ctx) => ctx.skipBatch(),
    });
    expect(seen.of('onTrainBatchEnd').some(({ payload }) => payload.skipped)).toBe(false);
  });

  test('of every batch trains nothing, says so with the name of the hook, and still ends well', async () => {
    const logger = collectingLogger();
    const { result, seen, weights } = await watchedFit(skipAt(0, 1, 2, 3), { logger });
    const warnings = logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    expect(warnings).toHaveLength(3);
    expect(warnings[1]).toBe(
      'Every batch of epoch 2 was skipped by hook "skipper": nothing was trained, and there is no train/loss.',
    );
    expect(result.status).toBe('completed');
    expect(seen.of('onStepEnd')).toHaveLength(0);
    expect(weights).toEqual(weightsOf(regressor()));
    expect(result.history[0]).toEqual({ 'val/loss': expect.any(Number) });
  });
});

describe('ctx.skipStep', () => {
  const optimizer: TrainerOptions['optimizer'] = [{ name: 'sgd', params: 'hidden/*' }, 'adam'];

  test('leaves out the update of that optimizer only, and the event says so', async () => {
    const seen = recorder('after', ['onAfterOptimizerStep']);
    const skip: Hook = {
      name: 'skipper',
      onBeforeOptimizerStep: (ctx, { optimizerIndex }) => {
        if (optimizerIndex === 0) ctx.skipStep();
      },
    };
    const model = regressor();
    const trainer = quietTrainer({ model, optimizer, hooks: [skip, seen] });
    await trainer.fit({ train: regression(8), epochs: 1, batchSize: 4 });
    const [hiddenKernel, hiddenBias, outKernel, outBias] = weightsOf(model);
    const untouched = weightsOf(regressor());
    expect([hiddenKernel, hiddenBias]).toEqual(untouched.slice(0, 2));
    expect(outKernel).not.toEqual(untouched[2]);
    expect(outBias).not.toEqual(untouched[3]);
    expect(seen.events.map(({ payload }) => payload.skipped)).toEqual([true, false, true, false]);
  });

  test('is for the optimizer in whose event it is called', async () => {
    const seen = recorder('after', ['onAfterOptimizerStep']);
    const late: Hook = { name: 'late', onAfterOptimizerStep: (ctx) => ctx.skipStep() };
    const trainer = quietTrainer({ model: regressor(), optimizer, hooks: [late, seen] });
    await trainer.fit({ train: regression(8), epochs: 1, batchSize: 4 });
    expect(seen.events.map(({ payload }) => payload.skipped)).toEqual([false, false, false, false]);
  });
});
