import type { Hook } from '@hookline/hook-api';
import { errorOf, regression, regressor } from '@hookline/test-support';
import type * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { combine, csv, DataLoader, type FitOptions, kFold, type TrainerOptions } from '../../src/index.js';
import { expectError, fitError } from '../support/fit-error.js';
import { quietTrainer } from '../support/quiet-trainer.js';
import { differences, resumedRun, straightRun, type Variant } from '../support/resume-anywhere.js';

const count = 20;
const samples = {
  xs: Array.from({ length: count }, (_, i) => [i, 0, 0]),
  ys: Array.from({ length: count }, (_, i) => [i * 10]),
};
const all = Array.from({ length: count }, (_, i) => i);
const rising = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

/** The numbers of the samples that were trained and validated on, by epoch. */
async function fitted(fit: Partial<FitOptions>, options: Partial<TrainerOptions> = {}) {
  const [trained, validated]: [number[][], number[][]] = [[], []];
  const numbersIn = ({ xs }: { xs: unknown }) =>
    [...(xs as tf.Tensor).dataSync()].filter((_, index) => index % 3 === 0);
  const watch: Hook = {
    name: 'watch',
    onEpochStart: () => void trained.push([]),
    onTrainBatchStart: (_ctx, { batch }) => void trained.at(-1)!.push(...numbersIn(batch)),
    onValidationStart: () => void validated.push([]),
    onValidationBatchStart: (_ctx, { batch }) => void validated.at(-1)!.push(...numbersIn(batch)),
  };
  const trainer = quietTrainer({ model: regressor(), ...options, hooks: [watch] });
  const result = await trainer.fit({ train: samples, epochs: 3, batchSize: 4, ...fit });
  return { trained, validated, result };
}

describe('validationSplit', () => {
  test('holds the same samples back in every epoch; all others are trained on, each time in another order', async () => {
    const { trained, validated, result } = await fitted({ validationSplit: 0.2 });
    expect(validated[0]).toHaveLength(4);
    for (const [epoch, held] of validated.entries()) {
      expect(held).toEqual(validated[0]);
      expect(rising([...held, ...trained[epoch]!])).toEqual(all);
    }
    expect(trained[1]).not.toEqual(trained[0]);
    expect(result.history[0]!['val/loss']).toBeGreaterThan(0);
  });

  test('what is held back follows the seed of the run, and nothing else', async () => {
    const held = async (seed: number, fit: Partial<FitOptions> = {}) =>
      (await fitted({ validationSplit: 0.3, epochs: 1, ...fit }, { seed })).validated[0];
    const first = await held(1);
    expect(await held(1)).toEqual(first);
    expect(
      await held(1, { train: new DataLoader(samples, { shuffle: true, seed: 5, batchSize: 3 }) }),
    ).toEqual(first);
    expect(await held(2)).not.toEqual(first);
  });

  test('shuffle: false trains in the order of the data', async () => {
    const { trained, validated } = await fitted({ validationSplit: 0.2, shuffle: false });
    expect(trained[0]).toEqual(all.filter((number) => !validated[0]!.includes(number)));
  });

  test('typed arrays get the shapes of the model', async () => {
    const [xs, ys] = [Float32Array.from(samples.xs.flat()), Float32Array.from(samples.ys.flat())];
    const { validated } = await fitted({ train: { xs, ys }, validationSplit: 0.2 });
    expect(validated).toEqual((await fitted({ validationSplit: 0.2 })).validated);
  });

  test('several sources are split each and reported by name', async () => {
    const train = combine({ a: regression(8), b: regression(12, 3) }, { strategy: 'roundRobin' });
    const { result } = await fitted({ train, validationSplit: 0.25, epochs: 1 });
    expect(Object.keys(result.metrics)).toEqual(expect.arrayContaining(['val/a/loss', 'val/b/loss']));
  });

  test('overfitBatches validates on what it trains on', async () => {
    const { trained, validated } = await fitted({ validationSplit: 0.2, overfitBatches: 1, epochs: 1 });
    expect(validated).toEqual(trained);
  });

  test('a fold of kFold trains like any other data', async () => {
    const losses: number[] = [];
    const held: number[] = [];
    for (const { train, validation } of kFold(samples, 4, { seed: 1 })) {
      const { validated, result } = await fitted({ train, validation, epochs: 1 });
      held.push(...validated[0]!);
      losses.push(result.metrics['val/loss']!);
    }
    expect(rising(held)).toEqual(all);
    expect(losses.every(Number.isFinite)).toBe(true);
  });
});

describe('validationSplit is refused', () => {
  test.each([0, 1, 1.5, -0.2, Number.NaN, '0.2', 20])('as %s', async (validationSplit) => {
    expectError(
      await fitError({}, { validationSplit }),
      'BAD_OPTIONS',
      `validationSplit is ${typeof validationSplit === 'string' ? `"${validationSplit}"` : validationSplit}`,
      'between 0 and 1',
    );
  });

  test('together with validation', async () => {
    const error = await fitError({}, { validationSplit: 0.2, validation: regression(4) });
    expectError(error, 'BAD_OPTIONS', 'validationSplit', 'validation', 'one of them out');
  });

  test.each<[string, () => unknown]>([
    ['a stream', () => async function* () {}],
    ['ready batches', () => [regression(4)]],
    ['a CSV file', () => csv('data.csv')],
  ])('of %s', async (_what, train) => {
    const error = await fitError({}, { train: train(), validationSplit: 0.2 });
    expectError(error, 'BAD_DATA', 'cannot be split', 'separate data for validation');
  });

  test('of too few samples for either side', async () => {
    const error = await fitError({}, { train: regression(2), validationSplit: 0.1 });
    expectError(error, 'BAD_DATA', '"train" has 2 samples', 'holds back 0');
  });
});

const SPLIT: Variant = {
  trainer: { metrics: ['meanAbsoluteError'], accumulate: 2, ema: { decay: 0.8 } },
  fit: {
    validateEvery: { steps: 2 },
    validation: undefined as never,
    train: regression(21),
    validationSplit: 0.3,
    epochs: 2,
  },
};

describe('a resumed run', () => {
  let straight: Awaited<ReturnType<typeof straightRun>>;
  beforeAll(async () => {
    straight = await straightRun(SPLIT);
  });
  const inSecondEpoch = () =>
    straight.taken.find(({ event, epoch }) => event === 'onTrainBatchEnd' && epoch === 1)!.snapshot;

  test.each(['onTrainBatchEnd', 'onValidationBatchEnd', 'onEpochEnd'])(
    'holds the same samples back, although it draws another seed, and gives the same bits: %s',
    async (event) => {
      const taken = straight.taken.filter((each) => each.event === event)[1]!;
      expect(differences(straight, await resumedRun(SPLIT, taken.snapshot), taken)).toEqual([]);
    },
  );

  test.each<[string, Partial<FitOptions>, string]>([
    ['another share', { validationSplit: 0.5 }, 'validationSplit: saved 0.3, given 0.5'],
    ['none', { validationSplit: undefined as never }, 'validationSplit: saved 0.3, given null'],
  ])('refuses %s', async (_what, fit, text) => {
    const other = { ...SPLIT, fit: { ...SPLIT.fit, ...fit } };
    const error = await errorOf(resumedRun(other, inSecondEpoch()));
    expectError(error, 'CHECKPOINT_MISMATCH', text, "override: ['validationSplit']");
  });

  test('with another share that is meant, the epoch starts over and best is that of the new samples', async () => {
    const fit = { ...SPLIT.fit, validationSplit: 0.5, override: ['validationSplit'] as const };
    const { told, result } = await resumedRun({ ...SPLIT, fit }, inSecondEpoch());
    expect(told[0]).toMatchObject({ event: 'onStepStart', epoch: 1, batchIndex: 0 });
    expect(straight.result.best!.epoch).toBe(1);
    expect(result.best).toMatchObject({ epoch: 2 });
    expect(result.history).toHaveLength(1);
  });
});
