import type { Hook } from '@hookline/hook-api';
import { recorder, regression, rows, TEST_BACKEND, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, expect, test } from 'vitest';
import { selectBackend } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

beforeAll(() => selectBackend({ backend: TEST_BACKEND, root: '.' }));

const EVENTS = [
  'onTrainBatchStart',
  'onAfterBackward',
  'onStepEnd',
  'onTrainBatchEnd',
  'onEpochEnd',
] as const;

/** Everything that a forward pass can change: moving averages, dropout, the states of an RNN. */
function model(): tfl.Sequential {
  return tfl.sequential({
    layers: [
      tfl.layers.simpleRNN({ units: 3, stateful: true, batchInputShape: [4, 2, 3], seed: 1 } as never),
      tfl.layers.batchNormalization(),
      tfl.layers.dropout({ rate: 0.4 }),
      tfl.layers.dense({ units: 1 }),
    ],
  });
}

const batches = [0, 1, 2].map((seed) => ({
  xs: tf.tensor3d(rows(8, 3, seed + 1).flat(), [4, 2, 3]),
  ys: tf.tensor2d(rows(4, 1, seed + 9)),
}));

/** Asks for the outputs of other inputs, in every event that can wait. */
function asking(seen: number[]): Hook {
  const ask: Hook['onTrainBatchEnd'] = (ctx) => {
    const outputs = ctx.forward(batches[2]!.xs) as tf.Tensor;
    seen.push(outputs.dataSync()[0]!);
    outputs.dispose();
  };
  return { name: 'asking', ...Object.fromEntries(EVENTS.map((event) => [event, ask])) };
}

test('ctx.forward gives the outputs in inference mode and leaves training as it was, to the bit', async () => {
  const run = async (hooks: Hook[]) => {
    const trainer = quietTrainer({ model, hooks });
    const { history } = await trainer.fit({ train: batches, validation: batches, epochs: 2 });
    return { history, weights: weightsOf((await trainer.model()) as tfl.Sequential) };
  };
  const seen: number[] = [];
  const taps = recorder('taps', ['onForward']);
  const plain = await run([recorder('plain', ['onForward'])]);
  expect(await run([taps, asking(seen)])).toEqual(plain);
  expect(seen).toHaveLength(2 * (3 * 4 + 1));
  expect(seen.every(Number.isFinite)).toBe(true);
});

test('a model that draws random numbers when it predicts draws the same ones in training as without', async () => {
  const run = async (hooks: Hook[]) => {
    const slope = tf.variable(tf.scalar(1));
    const noisy = {
      parameters: () => ({ slope }),
      forward: (xs: tf.Tensor) =>
        tf.mul(slope, tf.add(tf.reshape(tf.mean(xs, [1, 2]), [4, 1]), tf.randomNormal([4, 1]))),
    };
    const { history } = await quietTrainer({ model: noisy as never, hooks }).fit({
      train: batches,
      epochs: 2,
    });
    return { history, slope: slope.dataSync()[0] };
  };
  const seen: number[] = [];
  expect(await run([asking(seen)])).toEqual(await run([]));
  expect(new Set(seen).size).toBeGreaterThan(2);
});

test('its outputs are those of predict, belong to the hook, and no hook is called for them', async () => {
  const seen = recorder('taps', ['onForward']);
  const given: tf.Tensor[] = [];
  const ask: Hook = {
    name: 'ask',
    onTrainEnd: (ctx) => {
      seen.events.length = 0;
      given.push(ctx.forward(tf.tensor2d(data.xs)) as tf.Tensor);
    },
  };
  const data = regression(4);
  const dense = () => tfl.sequential({ layers: [tfl.layers.dense({ units: 1, inputShape: [3] })] });
  const trainer = quietTrainer({ model: dense, hooks: [seen, ask] });
  await trainer.fit({ train: data, epochs: 1 });
  expect(seen.events).toHaveLength(0);
  const expected = (await trainer.predict({ data: { xs: data.xs } })) as tf.Tensor;
  expect([...given[0]!.dataSync()]).toEqual([...expected.dataSync()]);
});

test('inside the gradient tape it is an error of the hook that says where to call it', async () => {
  const errors: unknown[] = [];
  const ask: Hook = {
    name: 'ask',
    onBeforeBackward: (ctx, { batch }) => {
      try {
        ctx.forward(batch.xs);
      } catch (error) {
        errors.push(error);
      }
    },
  };
  const dense = () => tfl.sequential({ layers: [tfl.layers.dense({ units: 1, inputShape: [3] })] });
  const trainer = quietTrainer({ model: dense, hooks: [ask] });
  await trainer.fit({ train: regression(4), epochs: 1 });
  expect(errors).toMatchObject([{ code: 'IN_TAPE', message: expect.stringContaining('onTrainBatchEnd') }]);
});
