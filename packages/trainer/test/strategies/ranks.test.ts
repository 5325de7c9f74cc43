import { regression, someOf, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';
import { ranksInProcess } from '../support/ranks-in-process.js';
import { alone, expectClose, FIT, model, OPTIONS, together } from '../support/together.js';

test('one rank trains to the same bits as strategy "simple"', async () => {
  const [rank] = await together(1);
  const expected = await alone();
  expect(rank!.weights).toEqual(expected.weights);
  expect(rank!.result.history).toEqual(expected.result.history);
});

test('one rank asks nobody: it does what strategy "simple" does, and nothing more', async () => {
  const asked = () => {
    throw new Error('a rank that trains alone has asked the others');
  };
  const collective = { rank: 0, world: 1, sum: asked, gather: asked, broadcast: asked, abort: asked };
  const seen: unknown[] = [];
  const look = {
    name: 'look',
    onTrainStart: ({ run }: { run: { rank?: number; world?: number } }) =>
      void seen.push(run.rank, run.world),
  };
  const expected = await alone();
  for (const strategy of [{ name: 'one', collective }, 'accelerate'] as const) {
    const { result, weights } = await alone({ strategy, hooks: [look] });
    expect(result.status).toBe('completed');
    expect(weights).toEqual(expected.weights);
  }
  expect(seen).toEqual([undefined, undefined, undefined, undefined]);
});

for (const world of someOf([2, 3, 4], 1)) {
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

test('ranks validate, predict and look for a learning rate with the weights of the main rank, before any fit too', async () => {
  const models = [model(), model()];
  const [expected] = models.map((each) => weightsOf(each));
  const seen = await Promise.all(
    ranksInProcess(2).map(async (collective, rank) => {
      const strategy = { name: 'test', collective };
      const trainer = quietTrainer({ ...OPTIONS, model: models[rank]!, strategy });
      const validated = await trainer.validate({ data: FIT.validation!, batchSize: 4 });
      const predicted = await trainer.predict({ data: FIT.train, batchSize: 4 });
      const { losses } = await trainer.lrFind({ train: FIT.train, steps: 4 });
      return { validated, predicted: [...(predicted as tf.Tensor).dataSync()], losses };
    }),
  );
  expect(models.map((each) => weightsOf(each))).toEqual([expected, expected]);
  expect(seen[1]).toEqual(seen[0]);
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
