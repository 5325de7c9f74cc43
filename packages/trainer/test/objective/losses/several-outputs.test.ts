import { fixWeights, rows, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import type { LossOption } from '../../../src/index.js';
import { quietTrainer } from '../../support/quiet-trainer.js';

/** Inputs `left` [2] and `right` [3]; outputs `near` [1] and `far` [2]. */
function twoByTwo(): tfl.LayersModel {
  const left = tfl.input({ shape: [2], name: 'left' });
  const right = tfl.input({ shape: [3], name: 'right' });
  const joined = tfl.layers.concatenate().apply([left, right]) as tfl.SymbolicTensor;
  const outputs = [
    tfl.layers.dense({ units: 1, name: 'near' }).apply(joined),
    tfl.layers.dense({ units: 2, name: 'far' }).apply(joined),
  ] as tfl.SymbolicTensor[];
  return fixWeights(tfl.model({ inputs: [left, right], outputs }));
}

const [left, right, near, far] = [rows(6, 2, 1), rows(6, 3, 2), rows(6, 1, 3), rows(6, 2, 4)];
const flat = (values: number[][]) => Float32Array.from(values.flat());

/** Mean squared error of `near` plus mean absolute error of `far`. */
function expectedLoss(): number {
  return tf.tidy(() => {
    const [a, b] = twoByTwo().predict([tf.tensor2d(left), tf.tensor2d(right)]) as [tf.Tensor, tf.Tensor];
    const squared = tf.mean(tf.square(tf.sub(a, tf.tensor2d(near))));
    const absolute = tf.mean(tf.abs(tf.sub(b, tf.tensor2d(far))));
    return tf.add(squared, absolute).dataSync()[0]!;
  });
}

const lossList: LossOption = ['meanSquaredError', 'meanAbsoluteError'];
const lossByName: LossOption = { far: 'meanAbsoluteError', near: 'meanSquaredError' };
const lists = { xs: [flat(left), flat(right)], ys: [flat(near), flat(far)] };
// In another order than the model's: names decide.
const byName = { xs: { right, left }, ys: { far, near } };

test.each([
  ['lists', lossList, lists],
  ['names', lossByName, byName],
  ['a list of losses, data by name', lossList, byName],
  ['losses by name, lists of data', lossByName, lists],
])('inputs, targets and losses find each other: %s', async (_how, loss, data) => {
  const trainer = quietTrainer({ model: twoByTwo(), loss });
  const metrics = await trainer.validate({ data });
  expect(metrics['val/loss']).toBeCloseTo(expectedLoss(), 5);
});

test('data by name and data in order train the same weights', async () => {
  const train = async (data: typeof lists | typeof byName) => {
    const model = twoByTwo();
    await quietTrainer({ model, loss: lossList }).fit({ train: data, epochs: 3, batchSize: 4 });
    return weightsOf(model);
  };
  expect(await train(byName)).toEqual(await train(lists));
});

test('predict gives a tensor for each output, all batches joined', async () => {
  const trainer = quietTrainer({ model: twoByTwo() });
  const outputs = (await trainer.predict({ data: { xs: byName.xs }, batchSize: 4 })) as tf.Tensor[];
  expect(outputs.map(({ shape }) => shape)).toEqual([
    [6, 1],
    [6, 2],
  ]);
  tf.dispose(outputs);
});

test('one loss serves all outputs', async () => {
  const trainer = quietTrainer({ model: twoByTwo(), loss: 'meanSquaredError' });
  const { 'val/loss': both } = await trainer.validate({ data: lists });
  const single = await quietTrainer({
    model: twoByTwo(),
    loss: ['meanSquaredError', tf.losses.meanSquaredError],
  });
  expect((await single.validate({ data: lists }))['val/loss']).toBeCloseTo(both!, 6);
});
