import { every, type Hook, type TensorTree } from '@hookline/hook-api';
import { regression, regressor } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

const data = regression(12);

/** Numbers of the outputs at each call; undefined where there are none. */
function watcher(needs: Hook['needs'], wrap = (handler: Watch): Watch => handler) {
  const seen: (number[] | undefined)[] = [];
  const look = wrap((_ctx, { outputs }) => void seen.push(outputs && [...(outputs as tf.Tensor).dataSync()]));
  const hook: Hook = {
    name: 'watcher',
    ...(needs && { needs }),
    onTrainBatchEnd: look,
    onValidationBatchEnd: look,
    onTestBatchEnd: look,
  };
  return { hook, seen };
}

type Watch = (ctx: never, event: { outputs?: TensorTree | undefined }) => void;

test('a hook that needs outputs gets those of training, validation and test batches', async () => {
  const { hook, seen } = watcher(['outputs']);
  const trainer = quietTrainer({ model: regressor(), hooks: [hook] });
  await trainer.fit({ train: data, validation: data, epochs: 1, batchSize: 4 });
  await trainer.test({ data, batchSize: 6 });
  expect(seen.map((outputs) => outputs?.length)).toEqual([4, 4, 4, 4, 4, 4, 6, 6]);
});

test('the outputs of a training batch are those of the forward pass, before the update', async () => {
  const model = regressor();
  const before = model.predict(tf.tensor2d(data.xs.slice(0, 4))) as tf.Tensor;
  const expected = [...before.dataSync()];
  const { hook, seen } = watcher(['outputs']);
  const trainer = quietTrainer({ model, hooks: [hook], optimizer: { name: 'sgd', lr: 0.5 } });
  await trainer.fit({ train: data, epochs: 1, batchSize: 4, shuffle: false, maxSteps: 1 });
  seen[0]!.forEach((value, i) => {
    expect(value).toBeCloseTo(expected[i]!, 5);
  });
});

test('without a hook that needs them they are not kept', async () => {
  const { hook, seen } = watcher(undefined);
  await quietTrainer({ model: regressor(), hooks: [hook] }).fit({ train: data, validation: data, epochs: 1 });
  expect(seen.every((outputs) => outputs === undefined)).toBe(true);
});

test('they are kept only for the batches at which such a hook is due', async () => {
  const { hook, seen } = watcher(['outputs'], (look) => every({ steps: 2 }, look as never) as Watch);
  const always = watcher(undefined);
  const other: Hook = { ...always.hook, name: 'always' };
  await quietTrainer({ model: regressor(), hooks: [hook, other] }).fit({
    train: data,
    epochs: 2,
    batchSize: 2,
  });
  // Steps 2, 4, ... as counted after the step.
  expect(seen).toHaveLength(6);
  expect(seen.every((outputs) => outputs !== undefined)).toBe(true);
  expect(always.seen.map((outputs) => outputs !== undefined)).toEqual(
    Array.from({ length: 12 }, (_, i) => i % 2 === 1),
  );
});

test('no tensor stays behind, with accumulation, skipped batches and a hook that throws', async () => {
  let calls = 0;
  const picky: Hook = {
    name: 'picky',
    needs: ['outputs'],
    onTrainBatchStart: (ctx, { batchIndex }) => {
      if (batchIndex === 1) ctx.skipBatch();
    },
    onTrainBatchEnd: () => {
      if (++calls % 3 === 0) throw new Error('now and then');
    },
  };
  const trainer = quietTrainer({ model: regressor(), hooks: [picky], accumulate: 2 });
  await trainer.fit({ train: data, epochs: 1, batchSize: 2 });
  const before = tf.memory().numTensors;
  await trainer.fit({ train: data, epochs: 3, batchSize: 2 });
  expect(tf.memory().numTensors).toBe(before);
});
