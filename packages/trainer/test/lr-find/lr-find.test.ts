import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  errorOf,
  numbers,
  recorder,
  regression,
  someOf,
  tempFolder,
  weightsOf,
} from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import type { LrFindOptions, OptimizerOption, Trainer, TrainerOptions } from '../../src/index.js';
import { suggestRates } from '../../src/lr-find/suggest-rates.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const train = regression(40);

/** Batch normalisation, dropout and shuffling: all that a sweep could leave traces in. */
function model(): tfl.Sequential {
  return tfl.sequential({
    layers: [
      tfl.layers.dense({ name: 'hidden', units: 8, inputShape: [3], activation: 'tanh' }),
      tfl.layers.batchNormalization({ name: 'norm' }),
      tfl.layers.dropout({ rate: 0.2 }),
      tfl.layers.dense({ name: 'out', units: 1 }),
    ],
  });
}

const SWEEP: LrFindOptions = { train, steps: 12, batchSize: 8 };
const FIT = { train, epochs: 2, batchSize: 8 };

async function weightsAfter(
  work: (trainer: Trainer) => Promise<void>,
  options: Partial<TrainerOptions> = {},
) {
  const trainer = quietTrainer({ model, optimizer: { name: 'adam', lr: 0.01 }, ...options });
  await work(trainer);
  return weightsOf((await trainer.model()) as tfl.Sequential);
}

describe('after a sweep everything is as it was:', () => {
  test('the weights, moving averages included', async () => {
    const before = await weightsAfter(async () => {});
    expect(await weightsAfter(async (trainer) => void (await trainer.lrFind(SWEEP)))).toEqual(before);
  });

  const optimizers: [string, OptimizerOption][] = [
    ['adam', { name: 'adam', lr: 0.01 }],
    ['groups', { name: 'sgd', lr: 0.01, momentum: 0.9, groups: [{ params: '**/bias', lr: 0.1 }] }],
    ['several', [{ name: 'lion', params: 'hidden/*' }, 'rmsprop']],
  ];
  test.each(someOf(optimizers, 2))(
    'the optimizer and its rates, before and after a fit (%s)',
    async (_name, optimizer) => {
      const fits = async (trainer: Trainer, between: () => Promise<unknown>) => {
        await between();
        await trainer.fit(FIT);
        await between();
        await trainer.fit(FIT);
      };
      const plain = await weightsAfter((trainer) => fits(trainer, async () => {}), { optimizer });
      const swept = await weightsAfter((trainer) => fits(trainer, () => trainer.lrFind(SWEEP)), {
        optimizer,
      });
      expect(swept).toEqual(plain);
    },
  );

  test('also when it fails on the way', async () => {
    // Batches that are made for the trainer, which has to dispose them.
    const batches = function* () {
      for (const width of [3, 3, 2]) yield { xs: tf.ones([4, width]), ys: tf.ones([4, 1]) };
    };
    let failure: unknown;
    const plain = await weightsAfter(async () => {});
    const after = await weightsAfter(async (trainer) => {
      await trainer.ready();
      const before = tf.memory().numTensors;
      failure = await errorOf(trainer.lrFind({ train: batches }));
      expect(tf.memory().numTensors).toBe(before);
    });
    expect(failure).toMatchObject({ code: 'BAD_BATCH' });
    expect(after).toEqual(plain);
  });

  test('no tensor stays', async () => {
    await weightsAfter(async (trainer) => {
      await trainer.lrFind(SWEEP);
      const before = tf.memory().numTensors;
      await trainer.lrFind(SWEEP);
      expect(tf.memory().numTensors).toBe(before);
    });
  });
});

test('no hook is called and no run is recorded', async () => {
  const runsDir = tempFolder();
  const seen = recorder();
  const trainer = quietTrainer({ model, hooks: [seen], runsDir: join(runsDir, 'runs') });
  await trainer.lrFind(SWEEP);
  expect(seen.names()).toEqual([]);
  expect(existsSync(join(runsDir, 'runs'))).toBe(false);
});

describe('the rates', () => {
  test('grow by the same factor from step to step', async () => {
    const trainer = quietTrainer({ model, optimizer: 'sgd' });
    const { lrs, losses } = await trainer.lrFind({ ...SWEEP, from: 1e-6, to: 1e-4, steps: 5 });
    expect(lrs).toHaveLength(5);
    expect(losses).toHaveLength(5);
    [1e-6, 10 ** -5.5, 1e-5, 10 ** -4.5, 1e-4].forEach((lr, step) => {
      expect(lrs[step]! / lr).toBeCloseTo(1, 10);
    });
  });

  test('are those that the weights move by, in every group in its relation', async () => {
    // One sample and two weights of gradient g: the first step is lr * g, and 10 * lr * g in the group.
    const linear = () =>
      tfl.sequential({ layers: [tfl.layers.dense({ name: 'one', units: 1, inputShape: [1] })] });
    const moved: number[][] = [];
    const watching = {
      name: 'sgd',
      lr: 0.5,
      groups: [{ params: '**/bias', lr: 5 }],
    } as const;
    const trainer = quietTrainer({
      model: linear,
      optimizer: watching,
      loss: (target, output) => {
        moved.push(weightsOf(trainerModel!).flat());
        return tf.mean(tf.sub(output, target)) as tf.Scalar;
      },
    });
    const trainerModel = (await trainer.model()) as tfl.Sequential;
    const sample = { xs: [[1]], ys: [[0]] };
    await trainer.lrFind({ train: sample, from: 0.01, to: 0.1, steps: 2, batchSize: 1 });
    // The loss is computed twice at each step: with the weights of the start, then with those of now.
    const [start, , , second] = moved as [number[], number[], number[], number[]];
    // The loss is linear: both gradients are 1. The group that comes first has the rate that is swept.
    expect(start[1]! - second[1]!).toBeCloseTo(0.01, 6);
    expect(start[0]! - second[0]!).toBeCloseTo(0.001, 6);
  });

  test('count optimizer steps when gradients are accumulated', async () => {
    let batches = 0;
    const trainer = quietTrainer({
      model,
      accumulate: 2,
      loss: (target, output) => {
        batches++;
        return tf.mean(tf.squaredDifference(output, target)) as tf.Scalar;
      },
    });
    const { lrs } = await trainer.lrFind({ ...SWEEP, to: 1e-5, steps: 7 });
    expect(lrs).toHaveLength(7);
    expect(batches).toBe(2 * 7 * 2); // with the weights of the start, too
  });
});

describe('the suggestion', () => {
  /** Least squares with inputs of mean square 1: gradient descent diverges from a rate of about 1 on. */
  const xs = numbers(256, 3).map((value) => [value * Math.sqrt(3)]);
  const linear = () =>
    tfl.sequential({
      layers: [tfl.layers.dense({ units: 1, inputShape: [1], useBias: false, kernelInitializer: 'zeros' })],
    });
  const data = { xs, ys: xs.map(([x]) => [2 * x! + 1]) };

  test('is on the slope, below where the loss explodes', async () => {
    const trainer = quietTrainer({ model: linear, optimizer: 'sgd' });
    const found = await trainer.lrFind({ train: data, steps: 120 });
    expect(found.suggestion).toBe(found.valley);
    for (const lr of [found.valley!, found.steepest!]) {
      expect(lr).toBeGreaterThan(0.003);
      expect(lr).toBeLessThan(1);
    }
    expect(found.diverged).toBe(true);
    expect(found.lrs.at(-1)!).toBeLessThan(10);
    expect(found.lrs.at(-1)!).toBeGreaterThan(0.5);
    expect(found.losses.every(Number.isFinite)).toBe(true);
  });

  test('trains better than one a hundred times smaller or ten times larger', async () => {
    const loss = async (lr: number) => {
      const trainer = quietTrainer({ model: linear, optimizer: { name: 'sgd', lr } });
      const { metrics } = await trainer.fit({ train: data, epochs: 2 });
      return metrics['train/loss']!;
    };
    const { suggestion } = await quietTrainer({ model: linear, optimizer: 'sgd' }).lrFind({ train: data });
    const found = await loss(suggestion!);
    expect(found).toBeLessThan(await loss(suggestion! / 100));
    expect(await loss(suggestion! * 20)).not.toBeLessThan(found);
  });

  test('is the middle of the fall, whatever is flat before and explodes after it', () => {
    const lrs = Array.from({ length: 80 }, (_, step) => 10 ** (-7 + step / 10));
    const losses = lrs.map((_, step) =>
      step < 40 ? 1 : step <= 60 ? 1 - (step - 40) / 20 : (step - 60) ** 2,
    );
    const { valley, steepest } = suggestRates(lrs, losses);
    expect(Math.abs(Math.log10(valley!) + 2)).toBeLessThan(0.11); // one point beside it at most
    expect(Math.log10(steepest!)).toBeGreaterThanOrEqual(-3.01);
    expect(Math.log10(steepest!)).toBeLessThanOrEqual(-1);
  });

  test('is none when the loss never falls', async () => {
    expect(suggestRates([1, 2, 3], [1, 2, 3])).toEqual({ valley: undefined, steepest: undefined });
    expect(suggestRates([], [])).toEqual({ valley: undefined, steepest: undefined });
    const uphill = quietTrainer({
      model: linear,
      loss: (target, output) => tf.sub(1, tf.mean(tf.mul(0, tf.add(output, target)))) as tf.Scalar,
    });
    const { suggestion, plot } = await uphill.lrFind({ train: data, steps: 10 });
    expect(suggestion).toBeUndefined();
    expect(plot).not.toContain('^');
  });
});

test('a loss that is not a number ends the sweep', async () => {
  const trainer = quietTrainer({
    model,
    loss: (_target, output) => tf.mean(tf.log(tf.sub(-1e9, tf.abs(output)))) as tf.Scalar,
  });
  const { lrs, diverged, plot } = await trainer.lrFind(SWEEP);
  expect(lrs).toEqual([]);
  expect(diverged).toBe(true);
  expect(plot).toContain('not a finite number');
});

test('the plot shows both ends of both axes and marks the suggestion', async () => {
  const trainer = quietTrainer({ model, optimizer: 'sgd' });
  const { plot } = await trainer.lrFind({ ...SWEEP, from: 1e-4, to: 0.1 });
  const lines = plot.split('\n');
  expect(lines).toHaveLength(15);
  expect(lines.slice(0, 12).join('')).toContain('•');
  expect(lines[13]).toMatch(/1\.0e-4 +0\.1$/);
  expect(lines[14]).toMatch(/^ +\^ lr [\d.e-]+$/);
});

describe('what is wrong is said:', () => {
  test.each<[string, object, string[]]>([
    ['an unknown option', { form: 1 }, ['"form"', 'Did you mean "from"?']],
    ['rates that do not grow', { from: 1, to: 0.1 }, ['from 1 to 0.1']],
    ['one step', { steps: 1 }, ['1 steps']],
    ['a rate that is none', { from: 0 }, ['"from" must be', 'got 0', 'above 0']],
    ['a smoothing that never lets go', { smoothing: 1 }, ['"smoothing" must be', 'got 1']],
  ])('%s', async (_what, options, parts) => {
    const error = await errorOf(quietTrainer({ model }).lrFind({ ...SWEEP, ...options }));
    expect(error.code).toBe('BAD_OPTIONS');
    for (const part of parts) expect(error.message).toContain(part);
  });

  test('learning rates that are all 0', async () => {
    const error = await errorOf(quietTrainer({ model, optimizer: { name: 'sgd', lr: 0 } }).lrFind(SWEEP));
    expect(error.message).toContain('all of them are 0');
  });

  test('two things at once', async () => {
    const trainer = quietTrainer({ model });
    const first = trainer.lrFind(SWEEP);
    expect((await errorOf(trainer.lrFind(SWEEP))).code).toBe('BUSY');
    await first;
    await trainer.fit(FIT);
  });

  test('a schedule that waits for validation is not an obstacle', async () => {
    const trainer = quietTrainer({ model, schedule: { name: 'plateau' } });
    expect((await trainer.lrFind(SWEEP)).lrs.length).toBeGreaterThan(5);
  });
});
