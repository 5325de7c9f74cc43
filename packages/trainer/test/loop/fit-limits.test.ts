import type { Hook } from '@hookline/hook-api';
import {
  collectingLogger,
  errorOf,
  recorder,
  regression,
  regressor,
  weightsOf,
} from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import type { FitOptions, TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

/** 5 batches of training and 3 of validation in an epoch. */
async function train(fit: Partial<FitOptions> = {}, options: Partial<TrainerOptions> = {}) {
  const seen = recorder();
  const model = regressor();
  const trainer = quietTrainer({ model, hooks: [seen], ...options });
  const result = await trainer.fit({
    train: regression(20),
    validation: regression(12, 9),
    epochs: 3,
    batchSize: 4,
    ...fit,
  });
  const count = (event: Parameters<typeof seen.of>[0]) => seen.of(event).length;
  return { seen, result, count, weights: weightsOf(model), trainer };
}

describe('how long a fit continues', () => {
  test('maxSteps ends it after that many optimizer steps, and says so', async () => {
    const { result, count } = await train({ maxSteps: 7 });
    expect(count('onStepEnd')).toBe(7);
    expect(result).toMatchObject({ status: 'stopped', stopReason: 'reached maxSteps (7)' });
    expect(count('onTrainEnd')).toBe(1);
  });

  test('maxSeconds ends it after the batch in which they are full', async () => {
    const { result, count } = await train({ maxSeconds: 0.0001 });
    expect(count('onTrainBatchEnd')).toBe(1);
    expect(result.stopReason).toBe('reached maxSeconds (0.0001)');
  });
});

describe('how much of the data is used', () => {
  test('limitTrainBatches and limitValBatches as counts', async () => {
    const { count, seen } = await train({ limitTrainBatches: 2, limitValBatches: 1 });
    expect(count('onTrainBatchEnd')).toBe(3 * 2);
    expect(count('onValidationBatchEnd')).toBe(3 * 1);
    expect(seen.of('onTrainStart')[0]?.payload.batchesPerEpoch).toBe(2);
  });

  test('limitTrainBatches and limitValBatches as shares', async () => {
    const { count } = await train({ limitTrainBatches: 0.6, limitValBatches: 0.5 });
    expect(count('onTrainBatchEnd')).toBe(3 * 3);
    expect(count('onValidationBatchEnd')).toBe(3 * 1);
  });

  test('a share of data that cannot tell its length is refused', async () => {
    const stream = async function* () {};
    const error = await errorOf(train({ train: stream, limitTrainBatches: 0.5 }));
    expect(error.message).toContain('limitTrainBatches is the share 0.5, but the data cannot tell');
  });

  test('overfitBatches trains and validates on the same batches, in the same order', async () => {
    const { seen, result } = await train(
      { overfitBatches: 2, epochs: 60 },
      { optimizer: { name: 'adam', lr: 0.05 } },
    );
    expect(seen.of('onTrainBatchStart')).toHaveLength(60 * 2);
    expect(seen.of('onValidationBatchStart')).toHaveLength(60 * 2);
    expect(result.metrics['val/loss']).toBeLessThan(result.history[0]!['val/loss']! / 10);
  });

  test('fastDevRun takes one batch of everything, and no hook that writes', async () => {
    const written: string[] = [];
    const writer: Hook = { name: 'writer', writes: true, onTrainEnd: () => void written.push('file') };
    const { count, result, trainer } = await train({ fastDevRun: true }, { hooks: [writer, recorder()] });
    expect(result.history).toHaveLength(1);
    expect(written).toEqual([]);
    expect(trainer.hooks.manager.list()).toMatchObject([
      { name: 'writer', enabled: true },
      { name: 'recorder' },
    ]);
    expect(count('onTrainBatchEnd')).toBe(0); // this recorder was not passed
    await trainer.fit({ train: regression(8), epochs: 1, fastDevRun: false });
    expect(written).toEqual(['file']);
  });
});

describe('when it validates', () => {
  test('every so many epochs', async () => {
    const { seen, result } = await train({ epochs: 4, validateEvery: { epochs: 2 } });
    expect(seen.of('onValidationEnd').map(({ payload }) => payload.epoch)).toEqual([1, 3]);
    expect(result.history.map((metrics) => 'val/loss' in metrics)).toEqual([false, true, false, true]);
  });

  test('every so many steps', async () => {
    const { seen, result } = await train({ epochs: 2, validateEvery: { steps: 4 } });
    expect(seen.of('onValidationStart').map(({ state }) => state.step)).toEqual([4, 8]);
    expect(result.history.every((metrics) => 'val/loss' in metrics)).toBe(true);
  });

  test('a sanity check shows a mistake in the validation data before training', async () => {
    const wrong = { xs: [[1, 2]], ys: [[1]] };
    const before: number[] = [];
    const counter: Hook = { name: 'counter', onTrainBatchStart: (ctx) => void before.push(ctx.state.step) };
    const error = await errorOf(train({ validation: wrong, sanityBatches: 1 }, { hooks: [counter] }));
    expect(error.code).toBe('BAD_BATCH');
    expect(before).toEqual([]);
  });

  test('a sanity check fires no event and changes no bit', async () => {
    const [plain, checked] = [await train(), await train({ sanityBatches: 2 })];
    expect(checked.seen.names()).toEqual(plain.seen.names());
    expect(checked.weights).toEqual(plain.weights);
  });
});

test('accumulation may follow the epoch', async () => {
  const { seen } = await train({ epochs: 4 }, { accumulate: { 1: 5, 3: 2 } });
  const steps = [0, 1, 2, 3].map(
    (epoch) => seen.of('onStepEnd').filter(({ state }) => state.epoch === epoch).length,
  );
  expect(steps).toEqual([5, 1, 1, 3]);
});

test('wrong limits are named', async () => {
  expect((await errorOf(train({ maxSteps: 0 }))).message).toContain(
    'maxSteps is 0, expected a whole number above 0',
  );
  expect((await errorOf(train({ limitTrainBatches: -1 }))).message).toContain('limitTrainBatches is -1');
  // @ts-expect-error A unit that does not exist.
  expect((await errorOf(train({ validateEvery: { batches: 2 } }))).message).toContain(
    'unknown option "batches"',
  );
});

test('fastDevRun does not resume and does not save, and needs no hook for either', async () => {
  const logger = collectingLogger();
  const asks: Hook = { name: 'asks', onEpochEnd: (ctx) => ctx.requestCheckpoint('now') };
  const { result } = await train({ fastDevRun: true, resume: 'auto' }, { hooks: [asks], logger });
  expect(result.status).toBe('completed');
  expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  expect(
    logger.lines.some(({ message }) => message.includes('nothing is resumed, and nothing is saved')),
  ).toBe(true);
});

test('best knows the validation of an epoch that maxSteps cut short', async () => {
  const { result } = await train({ maxSteps: 7, validateEvery: { steps: 7 } });
  expect(result.best).toMatchObject({ metric: 'val/loss', epoch: 2 });
});
