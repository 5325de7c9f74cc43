import { classes, classifier, errorOf, regression, regressor, TEST_BACKEND } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, describe, test } from 'vitest';
import { selectBackend } from '../../src/index.js';
import { expectError, fitError } from '../support/fit-error.js';
import { quietTrainer } from '../support/quiet-trainer.js';

beforeAll(() => selectBackend({ backend: TEST_BACKEND, root: '.' }));

const data = regression(8);

describe('the data', () => {
  const dataError = (train: unknown, options: object = {}) => fitError(options, { train });

  test('inputs of the wrong shape are named with both shapes', async () => {
    const error = await dataError({ xs: [[1, 2]], ys: [[1]] });
    expectError(error, 'BAD_BATCH', 'Batch 1 of loader "train"', '[1,2]', '[batch, 3]', 'reshape');
    const test = await errorOf(quietTrainer({ model: regressor() }).test({ data: { xs: [[1]], ys: [[1]] } }));
    expectError(test, 'BAD_BATCH', 'loader "test"');
    const predict = await errorOf(quietTrainer({ model: regressor() }).predict({ data: { xs: [[1]] } }));
    expectError(predict, 'BAD_BATCH', 'loader "predict"');
  });

  test('targets of the wrong shape are named with both shapes', async () => {
    expectError(await dataError({ xs: data.xs, ys: data.xs }), 'BAD_BATCH', '[8,3]', '[8,1]');
    const { xs, labels, oneHot } = classes(4);
    const model = classifier();
    expectError(
      await dataError({ xs, ys: labels }, { model, loss: 'categoricalCrossentropy' }),
      'BAD_BATCH',
      '[4]',
      '[4,3]',
      'sparse',
    );
    expectError(
      await dataError({ xs, ys: oneHot }, { model, loss: 'sparseCategoricalCrossentropy' }),
      'BAD_BATCH',
      '[4,3]',
      'without "sparse"',
    );
  });

  test('no targets', async () => {
    expectError(await dataError({ xs: data.xs }), 'BAD_BATCH', 'no targets (ys)');
  });

  test('too few or unknown inputs', async () => {
    const [a, b] = [tfl.input({ shape: [1], name: 'a' }), tfl.input({ shape: [1], name: 'b' })];
    const sum = tfl.layers.add().apply([a, b]);
    const output = tfl.layers.dense({ units: 1 }).apply(sum) as tfl.SymbolicTensor;
    const model = tfl.model({ inputs: [a, b], outputs: output });
    const column = [[1], [2]];
    expectError(
      await dataError({ xs: column, ys: column }, { model }),
      'BAD_BATCH',
      '1 inputs',
      'takes 2: a, b',
    );
    expectError(
      await dataError({ xs: { a: column, c: column }, ys: column }, { model }),
      'BAD_BATCH',
      'no input "b"',
      'a, c',
    );
  });

  test('nothing', async () => {
    expectError(await dataError({ xs: [], ys: [] }), 'BAD_DATA', 'loader "train" is empty', '0 samples');
    expectError(await dataError({ xs: tf.zeros([0, 3]), ys: tf.zeros([0, 1]) }), 'BAD_DATA', 'empty');
    expectError(await dataError([]), 'BAD_DATA', 'Loader "train" gave no batch');
    expectError(await dataError(async function* () {}), 'BAD_DATA', 'Loader "train" gave no batch');
    expectError(await dataError({}), 'BAD_DATA', 'train has no data', '{ xs, ys }');
    expectError(await dataError(undefined), 'BAD_DATA', 'train has no data');
    expectError(await dataError({ a: null }), 'BAD_DATA', 'loader "a" is null');
  });

  test('a bare tensor, or batches without xs', async () => {
    expectError(await dataError(tf.zeros([2, 3])), 'BAD_DATA', 'train has no data', '{ xs, ys }');
    expectError(await dataError([{ x: tf.zeros([2, 3]) }]), 'BAD_DATA', 'has no xs: expected { xs, ys? }');
    expectError(await dataError([tf.zeros([2, 3])]), 'BAD_DATA', 'has no xs');
  });

  test('counts that do not match', async () => {
    expectError(await dataError({ xs: data.xs, ys: data.ys.slice(1) }), 'BAD_DATA', 'xs has 8', 'ys has 7');
    expectError(await dataError({ ...data, weights: [1, 2] }), 'BAD_DATA', 'xs has 8', 'weights has 2');
    expectError(
      await dataError({ xs: new Float32Array(25), ys: data.ys }),
      'BAD_DATA',
      '25 values',
      'not a multiple of 3',
    );
    expectError(
      await dataError({ xs: data.xs, ys: new Float32Array(9) }),
      'BAD_DATA',
      '9 values',
      '8 samples',
    );
    const batch = { xs: tf.ones([4, 3]), ys: tf.ones([4, 1]), weights: tf.ones([3]) };
    expectError(await dataError([batch]), 'BAD_BATCH', 'weights have shape [3]', '4 samples');
  });

  test('uneven arrays, and values that are not numbers', async () => {
    expectError(
      await dataError({
        xs: [
          [1, 2, 3],
          [4, 5],
        ],
        ys: [1, 2],
      }),
      'BAD_DATA',
      'xs',
      'sample 1',
      '[3]',
    );
    expectError(await dataError({ xs: [[1, 2, 3], 4], ys: [1, 2] }), 'BAD_DATA', 'sample 1');
    expectError(await dataError({ xs: [[1, 2, 'x']], ys: [1] }), 'BAD_DATA', 'xs', '"x"');
    expectError(await dataError({ xs: [[1, 2, 3]], ys: [undefined] }), 'BAD_DATA', 'ys', 'undefined');
    expectError(await dataError({ xs: 'rows', ys: [1] }), 'BAD_DATA', 'xs');
  });

  test('tensors that were disposed, and text', async () => {
    const gone = tf.ones([2, 3]);
    gone.dispose();
    const ys = tf.ones([2, 1]);
    expectError(await dataError([{ xs: gone, ys }]), 'BAD_BATCH', 'Batch 1', '[2,3]', 'disposed', 'tf.clone');
    const text = tf.tensor2d([['a', 'b', 'c']]);
    expectError(
      await dataError({ xs: text, ys: [[1]] }),
      'BAD_DATA',
      'xs is a tensor of string',
      'place in a list',
    );
    expectError(await dataError([{ xs: text, ys: tf.ones([1, 1]) }]), 'BAD_BATCH', 'tensor of text');
  });

  test('a validation loader that is called like an output', async () => {
    const input = tfl.input({ shape: [3] });
    const outputs = ['a', 'b'].map((name) => tfl.layers.dense({ units: 1, name }).apply(input));
    const model = tfl.model({ inputs: input, outputs: outputs as tfl.SymbolicTensor[] });
    const part = { xs: data.xs, ys: { a: data.ys, b: data.ys } };
    const error = await fitError({ model }, { train: part, validation: { a: part, c: part } });
    expectError(error, 'BAD_DATA', 'Loader "a"', 'output');
  });

  test('sample weights with a loss that is already one number', async () => {
    const loss = tf.losses.meanSquaredError;
    expectError(
      await dataError({ ...data, weights: data.ys.flat() }, { loss }),
      'BAD_LOSS',
      'sample weights',
    );
  });
});
