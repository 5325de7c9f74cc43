import type { Snapshot } from '@hookline/hook-api';
import {
  fixWeights,
  recorder,
  regression,
  regressor,
  TEST_BACKENDS,
  weightsOf,
} from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

async function train(samples: number, batchSize: number, accumulate: number, epochs = 3) {
  const seen = recorder('recorder', ['onStepStart', 'onStepEnd', 'onTrainBatchEnd']);
  const model = regressor();
  const trainer = quietTrainer({ model, optimizer: { name: 'adam', lr: 0.02 }, accumulate, hooks: [seen] });
  const { history } = await trainer.fit({ train: regression(samples), epochs, batchSize, shuffle: false });
  return { seen, history, weights: weightsOf(model).flat() };
}

test('4 batches of 8 in one step train like 1 batch of 32', async () => {
  const whole = await train(64, 32, 1);
  const parts = await train(64, 8, 4);
  parts.weights.forEach((weight, i) => {
    expect(Math.abs(weight - whole.weights[i]!)).toBeLessThan(1e-5);
  });
  const [losses, expected] = [parts, whole].map(({ seen }) =>
    seen.of('onStepEnd').map(({ payload }) => payload.loss),
  );
  expect(losses).toHaveLength(6);
  losses!.forEach((loss, i) => {
    expect(loss).toBeCloseTo(expected![i], 5);
  });
});

test('the end of an epoch flushes what is accumulated: 3 batches are a step of 2 and a step of 1', async () => {
  const { seen } = await train(12, 4, 2, 2);
  const epoch = ['onStepStart', 'onTrainBatchEnd', 'onStepEnd', 'onTrainBatchEnd'];
  const flushed = ['onStepStart', 'onTrainBatchEnd', 'onStepEnd'];
  expect(seen.names()).toEqual([...epoch, ...flushed, ...epoch, ...flushed]);
});

test('a flushed step is the mean over the batches it has, not over those it could have had', async () => {
  // One batch in steps of up to 4: the same as no accumulation.
  const alone = await train(8, 8, 1);
  const flushed = await train(8, 8, 4);
  expect(flushed.weights).toEqual(alone.weights);
  expect(flushed.history).toEqual(alone.history);
});

/** A model of steps whose padding is masked, and 7 samples with 1 to 4 steps. */
function masked() {
  const model = fixWeights(
    tfl.sequential({
      layers: [
        tfl.layers.embedding({ inputDim: 9, outputDim: 3, inputLength: 4, maskZero: true }),
        tfl.layers.dense({ units: 1 }),
      ],
    }),
  );
  const xs = [4, 1, 3, 2, 4, 2, 1].map((steps, i) =>
    [0, 1, 2, 3].map((t) => (t < steps ? ((i + t) % 8) + 1 : 0)),
  );
  return { model, xs, ys: xs.map((row) => row.map((token) => [Math.sin(token)])) };
}

const unmasked = () => ({ model: regressor(), ...regression(7) });

describe.each([
  ['samples', unmasked],
  ['steps that are not masked', masked],
])('batches count as much as their %s', (_what, made) => {
  const sizes = [4, 1, 2];
  const batchesOf = ({ xs, ys }: ReturnType<typeof made>) =>
    sizes.map((size, i) => {
      const start = sizes.slice(0, i).reduce((sum, each) => sum + each, 0);
      const part = (values: unknown[]) => tf.tensor(values.slice(start, start + size) as number[][]);
      return { xs: part(xs), ys: part(ys) };
    });

  test.each(TEST_BACKENDS)('unequal batches train like one that holds them all: %s', async (backend) => {
    const fit = async (parts: boolean) => {
      const { model, xs, ys } = made();
      const trainer = quietTrainer({ model, backend, optimizer: { name: 'sgd', lr: 0.5 }, accumulate: 3 });
      await trainer.ready();
      const train = parts ? batchesOf({ model, xs, ys } as never) : { xs, ys };
      const { history } = await trainer.fit({ train, epochs: 3, batchSize: 7, shuffle: false });
      return { losses: history.map((metrics) => metrics['train/loss']!), weights: weightsOf(model).flat() };
    };
    const [parts, whole] = [await fit(true), await fit(false)];
    parts.weights.forEach((weight, i) => {
      expect(Math.abs(weight - whole.weights[i]!)).toBeLessThan(1e-6);
    });
    parts.losses.forEach((loss, i) => {
      expect(loss).toBeCloseTo(whole.losses[i]!, 6);
    });
  });

  test('a run that is resumed in the middle of a step continues with the same bits', async () => {
    const fit = async (from?: Snapshot) => {
      const { model, ...data } = made();
      const snapshots: Promise<Snapshot>[] = [];
      const losses: number[] = [];
      const trainer = quietTrainer({
        model,
        optimizer: { name: 'adam', lr: 0.1 },
        metrics: ['meanAbsoluteError'],
        accumulate: 3,
        hooks: [
          {
            name: 'watch',
            setup: async (ctx) => void (from && (await ctx.restore(from))),
            onTrainBatchEnd: (ctx) => void (from ?? snapshots.push(ctx.snapshot())),
            onStepEnd: (_ctx, { loss }) => void losses.push(loss),
          },
        ],
      });
      await trainer.ready();
      const { history } = await trainer.fit({ train: batchesOf({ model, ...data } as never), epochs: 2 });
      return { snapshots: await Promise.all(snapshots), losses, history, weights: weightsOf(model) };
    };
    const whole = await fit();
    expect(whole.snapshots).toHaveLength(6);
    for (const at of [0, 1, 3, 4]) {
      const resumed = await fit(whole.snapshots[at]);
      expect(resumed.weights).toEqual(whole.weights);
      expect(resumed.history.at(-1)).toEqual(whole.history.at(-1));
      expect(resumed.losses).toEqual(whole.losses.slice(-resumed.losses.length));
    }
  });
});
