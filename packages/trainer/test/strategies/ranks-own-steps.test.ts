import type { Hook } from '@hookline/hook-api';
import { regression, regressor, rows, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import type { FitResult } from '../../src/index.js';
import { GAN_OPTIMIZERS, gan } from '../support/gan.js';
import { quietTrainer } from '../support/quiet-trainer.js';
import { ranksInProcess } from '../support/ranks-in-process.js';
import { expectClose } from '../support/together.js';

/** Batches of 8, 8 and 4 rows: of five ranks, one has no row of the last. */
const FIT = { train: { xs: rows(20, 3, 7) }, epochs: 2, batchSize: 8 };

async function trainGan(strategy: object, hooks: Hook[] = []): Promise<[number[][], FitResult]> {
  const module = gan((xs) => xs);
  const trainer = quietTrainer({
    ...{ model: module, loss: undefined as never, optimizer: GAN_OPTIMIZERS!, hooks },
    ...strategy,
  });
  const result = await trainer.fit(FIT);
  return [module.getWeights().map((tensor) => [...tensor.dataSync()]), result];
}

const ganOnRanks = (world: number, hooks: (rank: number) => Hook[] = () => []) =>
  Promise.all(
    ranksInProcess(world).map((collective, rank) =>
      trainGan({ strategy: { name: 'test', collective } }, hooks(rank)),
    ),
  );

test('a module that makes its own updates trains on several ranks what it trains in one process', async () => {
  const [expected, alone] = await trainGan({});
  for (const world of [2, 5]) {
    const ranks = await ganOnRanks(world);
    for (const [weights, { history }] of ranks) {
      expect(weights).toEqual(ranks[0]![0]);
      expect(history).toEqual(ranks[0]![1].history);
    }
    expectClose(ranks[0]![0], expected);
    for (const [epoch, metrics] of alone.history.entries()) {
      for (const [name, value] of Object.entries(metrics)) {
        expect(ranks[0]![1].history[epoch]![name]).toBeCloseTo(value, 5);
      }
    }
  }
});

test('a batch that one rank skips is skipped by all before the module begins its updates', async () => {
  const skip: Hook = {
    name: 'one',
    onTrainBatchStart: (ctx) => void (ctx.state.batchIndex === 1 && ctx.skipBatch()),
  };
  const [expected] = await trainGan({}, [skip]);
  const ranks = await ganOnRanks(2, (rank) => [rank === 1 ? skip : { name: 'one' }]);
  expect(ranks[1]![0]).toEqual(ranks[0]![0]);
  expectClose(ranks[0]![0], expected);
});

/** Trains on batches of 4, each as the share that a rank has of it. */
async function stepThrough(share: (batch: number[][]) => number[][], strategy: object = {}) {
  const { xs, ys } = regression(12);
  const model = regressor();
  const trainer = quietTrainer({ model, ...strategy });
  const losses: number[] = [];
  for (const start of [0, 4, 8]) {
    const part = (all: number[][]) => tf.tensor2d(share(all.slice(start, start + 4)));
    losses.push((await trainer.trainingStep({ xs: part(xs), ys: part(ys) }))!.loss);
  }
  await trainer.close();
  return { weights: weightsOf(model), losses };
}

test('a loop of trainingStep in which each rank passes its share trains what whole batches train', async () => {
  const alone = await stepThrough((batch) => batch);
  const [main, other] = await Promise.all(
    ranksInProcess(2).map((collective, rank) =>
      // One sample and three: each counts as much as any other.
      stepThrough((batch) => (rank === 0 ? batch.slice(0, 1) : batch.slice(1)), {
        strategy: { name: 'test', collective },
      }),
    ),
  );
  expect(other).toEqual(main);
  expectClose(main!.weights, alone.weights);
  expectClose([main!.losses], [alone.losses]);
});
