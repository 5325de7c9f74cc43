import { defineHook, type Hook, type HookContext, type Snapshot } from '@hookline/hook-api';
import { collectingLogger, errorOf, regression, tempFolder, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import type { FitOptions, FitResult, TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';
import { ranksInProcess } from '../support/ranks-in-process.js';

function model(): tfl.Sequential {
  return tfl.sequential({
    layers: [
      tfl.layers.dense({ name: 'hidden', units: 6, inputShape: [3], activation: 'tanh' }),
      tfl.layers.dense({ name: 'out', units: 1, kernelRegularizer: tfl.regularizers.l2({ l2: 0.01 }) }),
    ],
  });
}

/** 10 samples in batches of 4: the last batch has 2, so that of 4 ranks two have none of it. */
const FIT: FitOptions = { train: regression(10), validation: regression(7, 2), epochs: 3, batchSize: 4 };
const OPTIONS = { model, optimizer: { name: 'adam', lr: 0.02 }, metrics: ['meanAbsoluteError'] } as const;

interface Rank {
  result: FitResult;
  weights: number[][];
}

type Vary<Value> = Value | ((rank: number) => Value);

/** The same fit on each of `world` ranks. */
async function together(
  world: number,
  options: Vary<Partial<TrainerOptions>> = {},
  fit: Vary<Partial<FitOptions>> = {},
): Promise<Rank[]> {
  const of = <Value>(value: Vary<Value>, rank: number) =>
    typeof value === 'function' ? (value as (rank: number) => Value)(rank) : value;
  return Promise.all(
    ranksInProcess(world).map(async (collective, rank) => {
      const strategy = { name: 'test', collective };
      const trainer = quietTrainer({ ...OPTIONS, strategy, ...of(options, rank) });
      const result = await trainer.fit({ ...FIT, ...of(fit, rank) });
      const weights = weightsOf((await trainer.model()) as tfl.Sequential);
      await trainer.dispose();
      return { result, weights };
    }),
  );
}

async function alone(options: Partial<TrainerOptions> = {}, fit: Partial<FitOptions> = {}): Promise<Rank> {
  const trainer = quietTrainer({ ...OPTIONS, ...options });
  const result = await trainer.fit({ ...FIT, ...fit });
  return { result, weights: weightsOf((await trainer.model()) as tfl.Sequential) };
}

function expectClose(given: number[][], expected: number[][]): void {
  given.flat().forEach((value, index) => {
    expect(value).toBeCloseTo(expected.flat()[index]!, 5);
  });
}

test('one rank trains to the same bits as strategy "simple"', async () => {
  const [rank] = await together(1);
  const expected = await alone();
  expect(rank!.weights).toEqual(expected.weights);
  expect(rank!.result.history).toEqual(expected.result.history);
});

for (const world of [2, 3, 4]) {
  test(`${world} ranks train what one process trains, with the same bits on each`, async () => {
    const ranks = await together(world);
    const expected = await alone();
    for (const { weights, result } of ranks) {
      expect(weights).toEqual(ranks[0]!.weights);
      expect(result.history).toEqual(ranks[0]!.result.history);
    }
    expectClose(ranks[0]!.weights, expected.weights);
    ranks[0]!.result.history.forEach((metrics, epoch) => {
      const those = expected.result.history[epoch]!;
      expect(Object.keys(metrics)).toEqual(Object.keys(those));
      for (const name of Object.keys(those)) expect(metrics[name]).toBeCloseTo(those[name]!, 5);
    });
  });
}

test('accumulation, clipping, averages, sample weights and steps that validate are the same for two ranks', async () => {
  const options = { accumulate: 2, clip: { globalNorm: 0.5 }, ema: { decay: 0.8 } };
  const weights = Array.from({ length: 10 }, (_, index) => (index % 3) + 0.5);
  const fit = { validateEvery: { steps: 2 }, train: { ...regression(10), weights } };
  const [main, other] = await together(2, options, fit);
  const expected = await alone(options, fit);
  expect(other!.weights).toEqual(main!.weights);
  expectClose(main!.weights, expected.weights);
});

test('ranks have the same moving averages of a batch normalisation', async () => {
  const normalised = () =>
    tfl.sequential({
      layers: [
        tfl.layers.dense({ units: 4, inputShape: [3] }),
        tfl.layers.batchNormalization(),
        tfl.layers.dense({ units: 1 }),
      ],
    });
  const [main, other] = await together(2, { model: normalised });
  expect(other!.weights).toEqual(main!.weights);
});

test('a model that is not seeded starts from the weights of the main rank on all ranks', async () => {
  const ranks = await together(2, () => ({ model: model(), seed: undefined as never }));
  expect(ranks[1]!.weights).toEqual(ranks[0]!.weights);
});

test('dropout leaves out other units on other ranks', async () => {
  const seen: number[][] = [[], []];
  const dropping = () =>
    tfl.sequential({
      layers: [
        tfl.layers.dense({ units: 50, inputShape: [3] }),
        tfl.layers.dropout({ name: 'drop', rate: 0.5 }),
        tfl.layers.dense({ units: 1 }),
      ],
    });
  const ranks = await together(
    2,
    (rank) => ({
      model: dropping,
      hooks: [
        {
          name: 'look',
          layers: 'drop',
          onForward: (_ctx, { output, training }) => {
            if (training) seen[rank]!.push(...output.dataSync().map((value) => (value === 0 ? 0 : 1)));
          },
        },
      ],
    }),
    { epochs: 1 },
  );
  expect(ranks[1]!.weights).toEqual(ranks[0]!.weights);
  expect(seen[0]).toHaveLength(seen[1]!.length);
  expect(seen[0]).not.toEqual(seen[1]);
});

test('training on several ranks leaves no tensor behind', async () => {
  const trainers = ranksInProcess(2).map((collective) =>
    quietTrainer({ ...OPTIONS, optimizer: 'sgd', strategy: { name: 'test', collective } }),
  );
  await Promise.all(trainers.map((trainer) => trainer.ready()));
  const before = tf.memory().numTensors;
  await Promise.all(trainers.map((trainer) => trainer.fit(FIT)));
  expect(tf.memory().numTensors).toBe(before);
});

describe('what one rank decides, all do', () => {
  /** A hook that does something on one rank only. */
  const on = (rank: number, hook: Partial<Hook>) => (each: number) => ({
    hooks: each === rank ? [{ name: 'one', ...hook }] : [{ name: 'one' }],
  });

  test('a batch that a hook of one rank skips is skipped by all', async () => {
    const skip = { onTrainBatchStart: (ctx: HookContext) => ctx.state.batchIndex === 1 && ctx.skipBatch() };
    const ranks = await together(2, on(1, skip as Partial<Hook>));
    const expected = await alone({ hooks: [{ name: 'one', ...(skip as Partial<Hook>) }] });
    expect(ranks[0]!.weights).toEqual(ranks[1]!.weights);
    expectClose(ranks[0]!.weights, expected.weights);
  });

  test('an update that a hook of one rank skips is skipped by all', async () => {
    const skip: Partial<Hook> = {
      onBeforeOptimizerStep: (ctx, { step }) => {
        if (step % 2 === 1) ctx.skipStep();
      },
    };
    const ranks = await together(2, on(1, skip));
    const expected = await alone({ hooks: [{ name: 'one', ...skip }] });
    expect(ranks[0]!.weights).toEqual(ranks[1]!.weights);
    expectClose(ranks[0]!.weights, expected.weights);
  });

  test('a stop on one rank stops all after the same step, for its reason', async () => {
    const stop: Partial<Hook> = { onStepEnd: (ctx, { step }) => void (step === 4 && ctx.stop('enough')) };
    const ranks = await together(3, on(2, stop));
    for (const { result, weights } of ranks) {
      expect(result).toMatchObject({ status: 'stopped', stopReason: 'enough' });
      expect(weights).toEqual(ranks[0]!.weights);
    }
    const expected = await alone({ hooks: [{ name: 'one', ...stop }] });
    expectClose(ranks[0]!.weights, expected.weights);
  });

  test('a rate that a hook of the main rank changes changes on all', async () => {
    const slow: Partial<Hook> = {
      onStepEnd: ({ state }) => {
        state.optimizers[0]!.groups[0]!.lrScale = 0.5;
      },
    };
    const ranks = await together(2, on(0, slow));
    const expected = await alone({ hooks: [{ name: 'one', ...slow }] });
    expect(ranks[1]!.weights).toEqual(ranks[0]!.weights);
    expectClose(ranks[0]!.weights, expected.weights);
  });

  test('a validation that one rank asks for is done by all', async () => {
    let validations = 0;
    const ask: Partial<Hook> = {
      onStepEnd: (ctx, { step }) => void (step === 1 && ctx.requestValidation()),
      onValidationEnd: () => void validations++,
    };
    await together(2, on(1, ask));
    expect(validations).toBe(4); // one for each epoch, and the one that was asked for
  });

  test('a loss that is not a number on one rank is skipped by all', async () => {
    const xs = regression(10).xs.map((row, index) => (index === 1 ? [Number.NaN, 0, 0] : row));
    const fit = { train: { xs, ys: regression(10).ys }, shuffle: false };
    const ranks = await together(2, { nonFiniteLoss: 'skip' }, fit);
    const expected = await alone({ nonFiniteLoss: 'skip' }, fit);
    expect(ranks[1]!.weights).toEqual(ranks[0]!.weights);
    expectClose(ranks[0]!.weights, expected.weights);
  });
});

describe('hooks and ranks', () => {
  test('hooks that write run on the main rank, others on all, unless they say otherwise', async () => {
    const called: string[] = [];
    const hook = (name: string, more: Partial<Hook>) =>
      defineHook({
        name,
        onTrainEnd: ({ run }) => void called.push(`${name} ${run.rank}/${run.world}`),
        ...more,
      });
    await together(2, () => ({
      hooks: [
        hook('sees', {}),
        hook('writes', { writes: true }),
        hook('one', { ranks: 'main' }),
        hook('every', { writes: true, ranks: 'all' }),
      ],
    }));
    expect(called.sort()).toEqual([
      'every 0/2',
      'every 1/2',
      'one 0/2',
      'sees 0/2',
      'sees 1/2',
      'writes 0/2',
    ]);
  });

  test('a hook that changes training cannot run on the main rank only', async () => {
    const hooks = [{ name: 'clipper', ranks: 'main' as const, transformGradients: () => undefined }];
    const error = await errorOf(together(2, { hooks }));
    expect(error.message).toContain('Hook "clipper" has transformGradients, which changes training');
  });

  test('ranks share the id of the run; only the main rank writes its folder and logs', async () => {
    const root = tempFolder({ 'package.json': { name: 'project' } });
    const loggers = [collectingLogger(), collectingLogger()];
    const seen: unknown[] = [];
    await together(2, (rank) => ({
      root,
      runsDir: undefined as never,
      logger: loggers[rank]!,
      hooks: [{ name: 'see', onTrainStart: ({ run }) => void seen.push([run.id, run.dir !== undefined]) }],
    }));
    const ids = seen.map((each) => (each as [string])[0]);
    expect(ids[0]).toBe(ids[1]);
    expect(seen.map((each) => (each as unknown[])[1]).sort()).toEqual([false, true]);
    expect(loggers[0]!.lines.length).toBeGreaterThan(0);
    expect(loggers[1]!.lines).toEqual([]);
  });
});

describe('ranks that do not fit together', () => {
  test('other settings on one rank are named, on every rank', async () => {
    const outcomes = await Promise.allSettled(
      ranksInProcess(2).map((collective, rank) =>
        quietTrainer({
          ...OPTIONS,
          optimizer: { name: 'adam', lr: rank === 0 ? 0.02 : 0.03 },
          strategy: { name: 'test', collective },
        }).fit(FIT),
      ),
    );
    for (const outcome of outcomes) {
      const { reason } = outcome as PromiseRejectedResult;
      expect(reason.code).toBe('RANKS_DIFFER');
      expect(reason.message).toContain('lr: 0.02 on rank 0, 0.03 on rank 1');
    }
  });

  test('data with other numbers of batches is named where the ranks part', async () => {
    const error = await errorOf(
      together(2, {}, (rank) => ({
        validation: undefined as never,
        train: function* () {
          for (let batch = 0; batch < 3 - rank; batch++) yield { xs: tf.ones([2, 3]), ys: tf.ones([2, 1]) };
        },
      })),
    );
    expect(error.code).toBe('RANKS_DIFFER');
    expect(error.message).toMatch(/rank 0 is at batch 3 of epoch 1.*rank 1 at the weights after epoch 1/s);
  });

  test('weights that part are found at the end of the epoch', async () => {
    const error = await errorOf(
      together(2, (rank) => ({
        hooks: [
          {
            name: 'noise',
            transformGradients: (_ctx, { gradients }) =>
              rank === 0 ? undefined : { 'out/bias': tf.add(gradients['out/bias']!, 1) },
          },
        ],
      })),
    );
    expect(error.code).toBe('RANKS_DIFFER');
    expect(error.message).toContain('after epoch 1 "out/bias" of rank 1 is not that of rank 0');
  });

  test('the error of one rank reaches all', async () => {
    const fail = (rank: number) => ({
      hooks: [
        {
          name: 'broken',
          onError: 'fail' as const,
          onStepEnd: (_ctx: unknown, { step }: { step: number }) => {
            if (rank === 1 && step === 2) throw new Error('out of coffee');
          },
        },
      ],
    });
    const outcomes = await Promise.allSettled(
      ranksInProcess(2).map((collective, rank) =>
        quietTrainer({ ...OPTIONS, ...fail(rank), strategy: { name: 'test', collective } }).fit(FIT),
      ),
    );
    const [main, broken] = outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason);
    expect(main).toMatchObject({ code: 'RANK_FAILED', message: expect.stringContaining('Rank 1 failed') });
    expect(main.message).toContain('out of coffee');
    expect(broken.message).toContain('out of coffee');
  });

  test('stateful layers are refused', async () => {
    const stateful = () =>
      tfl.sequential({ layers: [tfl.layers.gru({ units: 2, stateful: true, batchInputShape: [2, 3, 1] })] });
    const error = await errorOf(together(2, { model: stateful }));
    expect(error.code).toBe('BAD_MODEL');
  });
});

describe('resume', () => {
  /** Keeps checkpoints in memory; only the main rank has any. */
  const memory = (saved: Map<string, Snapshot>): Hook => ({
    name: 'memory',
    ranks: 'main',
    setup(ctx) {
      ctx.provideCheckpoints({
        find: async () => (saved.size > 0 ? { path: [...saved.keys()].at(-1)! } : undefined),
        load: async ({ path }) => saved.get(path)!,
        save: async (reason) => {
          const snapshot = await ctx.snapshot({ checkpoint: { reason, path: reason } });
          saved.set(reason, { ...snapshot, state: JSON.parse(JSON.stringify(snapshot.state)) });
        },
      });
    },
  });
  const leaveAt = (step: number): Hook => ({
    name: 'leave',
    onStepEnd(ctx, event) {
      if (event.step !== step) return;
      ctx.requestCheckpoint('left');
      ctx.stop('left');
    },
  });
  const dropping = () =>
    tfl.sequential({
      layers: [
        tfl.layers.dense({ units: 6, inputShape: [3], activation: 'tanh' }),
        tfl.layers.batchNormalization(),
        tfl.layers.dropout({ rate: 0.3 }),
        tfl.layers.dense({ units: 1 }),
      ],
    });

  for (const [step, accumulate] of [
    [2, 1],
    [4, 1],
    [3, 2],
  ] as const) {
    test(`two ranks stopped after step ${step} end with the bits of a run that was not (accumulate ${accumulate})`, async () => {
      const options = { model: dropping, accumulate };
      const whole = await together(2, { ...options, hooks: [memory(new Map()), { name: 'leave' }] });
      const saved = new Map<string, Snapshot>();
      await together(2, () => ({ ...options, hooks: [memory(saved), leaveAt(step)] }));
      expect(saved.size).toBe(1);
      const resumed = await together(2, () => ({ ...options, hooks: [memory(saved), { name: 'leave' }] }), {
        resume: 'auto',
      });
      for (const [rank, { weights, result }] of resumed.entries()) {
        expect(weights).toEqual(whole[rank]!.weights);
        expect(result.metrics).toEqual(whole[rank]!.result.metrics);
      }
    });
  }

  test('a run of two ranks is continued by one, by three and by four: no sample is lost or seen twice', async () => {
    const saved = new Map<string, Snapshot>();
    const whole = await alone({ hooks: [memory(new Map()), { name: 'leave' }] });
    await together(2, () => ({ hooks: [memory(saved), leaveAt(4)] }));
    const hooks = () => ({ hooks: [memory(new Map(saved)), { name: 'leave' }] });
    const one = await alone(hooks(), { resume: 'auto' });
    expectClose(one.weights, whole.weights);
    for (const world of [3, 4]) {
      const ranks = await together(world, hooks, { resume: 'auto' });
      expectClose(ranks[0]!.weights, whole.weights);
      expect(ranks.at(-1)!.weights).toEqual(ranks[0]!.weights);
    }
  });
});
