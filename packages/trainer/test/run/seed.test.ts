import type { Hook } from '@hookline/hook-api';
import {
  collectingLogger,
  regression,
  someOf,
  TEST_BACKEND,
  TEST_BACKENDS,
  weightsOf,
} from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { Trainer } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

/** Random in all its ways: initial weights, dropout, noise, and the order of the samples. */
function randomModel(): tfl.Sequential {
  return tfl.sequential({
    layers: [
      tfl.layers.dense({ name: 'hidden', units: 8, inputShape: [3], activation: 'tanh' }),
      tfl.layers.dropout({ rate: 0.3 }),
      tfl.layers.gaussianNoise({ stddev: 0.1 }),
      tfl.layers.dense({ name: 'out', units: 1, kernelInitializer: 'truncatedNormal' }),
    ],
  });
}

async function train(backend: string, seed: number, hooks: Hook[] = []) {
  const trainer = quietTrainer({ model: randomModel, backend, seed, hooks });
  const { history } = await trainer.fit({ train: regression(24), epochs: 3, batchSize: 5 });
  return { history, weights: weightsOf((await trainer.model()) as tfl.Sequential) };
}

describe.each(someOf(TEST_BACKENDS, 1))('on %s', (backend) => {
  test('the same seed gives the same bits in two trainers', async () => {
    const first = await train(backend, 7);
    Math.random(); // what the program draws in between does not matter
    expect(await train(backend, 7)).toEqual(first);
  });

  test('another seed gives something else, also when it is close', async () => {
    const first = await train(backend, 7);
    expect((await train(backend, 8)).weights).not.toEqual(first.weights);
  });

  test('a hook that draws from Math.random everywhere changes nothing', async () => {
    const draw = () => void Math.random();
    const noisy: Hook = {
      name: 'noisy',
      onEpochStart: draw,
      onTrainBatchStart: draw,
      onForward: draw,
      onBeforeBackward: draw,
      onAfterBackward: draw,
      onTrainBatchEnd: draw,
    };
    expect(await train(backend, 7, [noisy])).toEqual(await train(backend, 7));
  });
});

test('initial weights, dropout and order each follow the seed', async () => {
  const untrained = async (seed: number) =>
    weightsOf((await quietTrainer({ model: randomModel, seed }).model()) as tfl.Sequential);
  expect(await untrained(3)).toEqual(await untrained(3));
  expect(await untrained(3)).not.toEqual(await untrained(4));
});

test('dropout differs from step to step', async () => {
  const masks: string[] = [];
  const watch: Hook = {
    name: 'watch',
    layers: 'dropout_1',
    onForward: (_ctx, { output, training }) => {
      if (training) masks.push([...output.dataSync()].map((value) => Number(value === 0)).join(''));
    },
  };
  const model = tfl.sequential({
    layers: [
      tfl.layers.dropout({ rate: 0.5, inputShape: [16] }),
      tfl.layers.dense({ units: 1, name: 'out' }),
    ],
  });
  const trainer = quietTrainer({ model, hooks: [watch] });
  await trainer.fit({ train: { xs: tf.ones([4, 16]), ys: tf.ones([4, 1]) }, epochs: 4, batchSize: 4 });
  expect(new Set(masks).size).toBe(4);
});

test('Math.random is the program’s own outside, and for hooks inside too', async () => {
  const original = Math.random;
  const seen = new Set<() => number>();
  const look = () => {
    seen.add(Math.random);
  };
  const watch: Hook = {
    name: 'watch',
    setup: look,
    onForward: look,
    transformActivation: () => {
      look();
      return undefined;
    },
    onBeforeBackward: look,
    onAfterBackward: look,
    onTrainBatchEnd: look,
    onValidationBatchEnd: look,
  };
  const trainer = quietTrainer({ model: randomModel, hooks: [watch] });
  await trainer.fit({ train: regression(8), validation: regression(4), epochs: 1 });
  expect([...seen]).toEqual([original]);
  expect(Math.random).toBe(original);
});

test('a Math.random that the program replaces after the trainer was made is the one that hooks see', async () => {
  const original = Math.random;
  let seen: (() => number) | undefined;
  const watch: Hook = {
    name: 'watch',
    onBeforeBackward: () => {
      seen = Math.random;
    },
  };
  const trainer = await quietTrainer({ model: randomModel, hooks: [watch] }).ready();
  const replaced = () => 0.5;
  Math.random = replaced;
  try {
    await trainer.fit({ train: regression(4), epochs: 1 });
    expect(Math.random).toBe(replaced);
  } finally {
    Math.random = original;
  }
  expect(seen).toBe(replaced);
});

test('a model that throws while it computes leaves Math.random as it was', async () => {
  const original = Math.random;
  const broken: Hook = {
    name: 'broken',
    transformActivation: () => {
      throw new Error('broken');
    },
  };
  const trainer = quietTrainer({ model: randomModel, hooks: [broken] });
  await expect(trainer.fit({ train: regression(4), epochs: 1 })).rejects.toThrow('broken');
  expect(Math.random).toBe(original);
});

test('ctx.seed gives a hook randomness of its own: the same in each run, another for each step, hook and key', async () => {
  const draws = async (seed: number) => {
    const drawn: number[][] = [];
    const draw = (name: string): Hook => ({
      name,
      onTrainBatchStart: (ctx) =>
        void drawn.push([ctx.seed(), ctx.seed(), ctx.seed('mask'), ctx.seed('mask', 1)]),
    });
    const trainer = quietTrainer({ model: randomModel, seed, accumulate: 2, hooks: [draw('a'), draw('b')] });
    await trainer.fit({ train: regression(12), epochs: 2, batchSize: 4 });
    return drawn;
  };
  const drawn = await draws(1);
  expect(await draws(1)).toEqual(drawn);
  expect(drawn.every(([first, second]) => first === second)).toBe(true);
  // 2 hooks, 6 batches, 3 keys: no two alike.
  expect(new Set(drawn.flat()).size).toBe(2 * 6 * 3);
  expect(new Set([...drawn, ...(await draws(2))].flat()).size).toBe(2 * 2 * 6 * 3);
});

test('without a seed one is drawn and told, and it gives the same run again', async () => {
  const run = async (seed?: number) => {
    let told = Number.NaN;
    const trainer = new Trainer({
      model: randomModel,
      loss: 'meanSquaredError',
      backend: TEST_BACKEND,
      discover: false,
      runsDir: false,
      logger: collectingLogger(),
      ...(seed !== undefined && { seed }),
      hooks: [
        {
          name: 'look',
          onInit: (ctx) => {
            told = ctx.run.seed;
          },
        },
      ],
    });
    const { history } = await trainer.fit({ train: regression(12), epochs: 2, batchSize: 4 });
    return { told, history };
  };
  const first = await run();
  expect(Number.isSafeInteger(first.told)).toBe(true);
  expect(await run(first.told)).toEqual(first);
  expect((await run()).told).not.toBe(first.told);
});

test('a model given as an instance is trained itself; one made by a function can be asked for', async () => {
  const model = randomModel();
  const trainer = quietTrainer({ model });
  expect(await trainer.model()).toBe(model);
  const before = weightsOf(model);
  await trainer.fit({ train: regression(4), epochs: 1 });
  expect(weightsOf(model)).not.toEqual(before);

  let made = 0;
  const factory = async () => {
    made++;
    return randomModel();
  };
  const lazy = quietTrainer({ model: factory });
  expect(made).toBe(0);
  const first = await lazy.model();
  await lazy.fit({ train: regression(4), epochs: 1 });
  expect(await lazy.model()).toBe(first);
  expect(made).toBe(1);
});
