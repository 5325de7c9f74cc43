import { classes, classifier, regression, regressor, TEST_BACKEND } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, describe, expect, test } from 'vitest';
import { meanMetric, selectBackend } from '../../src/index.js';
import { expectError, fitError } from '../support/fit-error.js';

beforeAll(() => selectBackend({ backend: TEST_BACKEND, root: '.' }));

const data = regression(8);

describe('loss, metrics and optimizer', () => {
  test('an unknown name is told with the nearest and the known ones', async () => {
    expectError(
      await fitError({ loss: 'meanSquareError' }),
      'BAD_LOSS',
      'Did you mean "meanSquaredError"?',
      'sparseCategoricalCrossentropy',
    );
    expectError(await fitError({ metrics: ['acuracy'] }), 'BAD_METRIC', 'Did you mean "accuracy"?');
    expectError(
      await fitError({ optimizer: 'adamm' }),
      'BAD_OPTIMIZER',
      'Did you mean "adam',
      'sgd, adam, adamw',
    );
  });

  test('a wrong name shows before the model is built', async () => {
    let built = false;
    const model = () => {
      built = true;
      return regressor();
    };
    await fitError({ model, loss: 'nothing' });
    await fitError({ model, metrics: ['nothing'] });
    expect(built).toBe(false);
  });

  test('no loss at all', async () => {
    expectError(await fitError({ loss: undefined }), 'BAD_LOSS', 'needs a loss', 'meanSquaredError');
  });

  test('a loss function that gives no tensor, or one without a gradient', async () => {
    expectError(await fitError({ loss: () => 5 }), 'BAD_LOSS', 'output "out"', 'returned number', 'tensor');
    expectError(await fitError({ loss: () => tf.scalar(1) }), 'BAD_LOSS', 'does not depend on any parameter');
    const detached = (_targets: tf.Tensor, outputs: tf.Tensor) =>
      tf.tensor1d(outputs.dataSync() as Float32Array);
    const error = await fitError({ loss: detached });
    expectError(error, 'BAD_LOSS', 'nothing to minimise', 'functions of tf');
    expect(error.cause).toBeInstanceOf(Error);
  });

  test('a loss that is not a single number, or not a tensor', async () => {
    const module = (loss: () => unknown) => {
      const weight = tf.variable(tf.scalar(1));
      return { parameters: () => ({ weight }), forward: (xs: tf.Tensor) => tf.mul(xs, weight), loss };
    };
    expectError(await fitError({ model: module(() => tf.zeros([4])) }), 'BAD_LOSS', '[4]', 'tf.mean');
    expectError(await fitError({ model: module(() => undefined) }), 'BAD_LOSS', 'undefined');
  });

  test('a missing loss for one of several outputs', async () => {
    const input = tfl.input({ shape: [3] });
    const outputs = ['a', 'b'].map((name) => tfl.layers.dense({ units: 1, name }).apply(input));
    const model = tfl.model({ inputs: input, outputs: outputs as tfl.SymbolicTensor[] });
    const train = { xs: data.xs, ys: { a: data.ys, b: data.ys } };
    expectError(await fitError({ model, loss: { a: 'huber' } }, { train }), 'BAD_LOSS', '"b"');
    expectError(
      await fitError({ model }, { train: { xs: data.xs, ys: { a: data.ys, c: data.ys } } }),
      'BAD_BATCH',
      'output "b"',
      'a, c',
    );
    expectError(await fitError({ model }, { train: data }), 'BAD_BATCH', '2 outputs', '1 targets');
  });

  test('settings for outputs that are not there, or too many', async () => {
    const unknown = ['lossWeights', 'Did you mean "out"?', 'Outputs: out'];
    expectError(await fitError({ lossWeights: { oun: 2 } }), 'BAD_LOSS', ...unknown);
    expectError(await fitError({ lossWeights: [1, 2] }), 'BAD_LOSS', 'lossWeights has 2', '1 outputs: out');
    expectError(await fitError({ loss: { out: 'huber', b: 'huber' } }), 'BAD_LOSS', 'loss names "b"');
    expectError(await fitError({ metrics: { oun: ['accuracy'] } }), 'BAD_METRIC', 'Did you mean "out"?');
  });

  test('weights and shares that make no sense', async () => {
    const sparse = { model: classifier(), loss: 'sparseCategoricalCrossentropy' };
    const { xs, labels: ys } = classes(4);
    const error = await fitError({ ...sparse, classWeights: { 3: 2 } }, { train: { xs, ys } });
    expectError(error, 'BAD_LOSS', 'classWeights names class 3', 'classes 0 to 2');
    expectError(
      await fitError({ ...sparse, classWeights: { 1: -3 } }),
      'BAD_OPTIONS',
      'classWeights holds -3',
    );
    expectError(
      await fitError({ ...sparse, labelSmoothing: 2 }),
      'BAD_OPTIONS',
      'labelSmoothing holds 2',
      'below 1',
    );
    expectError(await fitError({ lossWeights: { out: Number.NaN } }), 'BAD_OPTIONS', 'lossWeights holds NaN');
  });

  test('metrics that are not a list, or not metrics', async () => {
    expectError(await fitError({ metrics: 'accuracy' }), 'BAD_METRIC', '"accuracy"', "['accuracy']");
    expectError(await fitError({ metrics: { out: 'accuracy' } }), 'BAD_METRIC', 'output "out"');
    expectError(await fitError({ metrics: [{ name: 'half' }] }), 'BAD_METRIC', '{ name, update, result }');
    const loss = meanMetric('loss', (targets) => targets);
    expectError(await fitError({ metrics: [loss] }), 'BAD_METRIC', 'named "loss"');
  });

  test('a metric that a schedule watches and nobody makes, before the first step', async () => {
    let steps = 0;
    const hooks = [{ name: 'count', onStepEnd: () => void steps++ }];
    const watch = (monitor: string) => ({ hooks, schedule: { name: 'plateau', monitor } });
    const error = await fitError({ ...watch('val/acuracy'), metrics: ['accuracy'] }, { validation: data });
    expectError(error, 'BAD_SCHEDULE', '"val/acuracy"', 'Did you mean "val/accuracy"?', 'val/loss');
    const parts = { clean: data, noisy: data };
    const loader = await fitError(watch('val/dirty/loss'), { validation: parts });
    expectError(loader, 'BAD_SCHEDULE', 'val/clean/loss, val/noisy/loss');
    expect(steps).toBe(0);
    // What is not of validation may still be logged by a hook: it shows at the end of the epoch.
    expectError(await fitError(watch('train/accuracy')), 'BAD_SCHEDULE', '"train/accuracy"', 'train/loss');
  });

  test('metrics that give one number for a batch, or share a name', async () => {
    const mean = (targets: tf.Tensor) => tf.mean(targets);
    expectError(await fitError({ metrics: [mean] }), 'BAD_METRIC', '"mean"', 'one for each sample');
    expectError(await fitError({ metrics: ['accuracy', 'accuracy'] }), 'BAD_METRIC', '"accuracy"');
  });

  test('optimizers that claim the same parameters, none, or all that is left twice', async () => {
    const sgd = (params: string) => ({ name: 'sgd', params });
    expectError(
      await fitError({ optimizer: [sgd('hidden/*'), sgd('*/bias')] }),
      'BAD_OPTIMIZER',
      'Optimizers 0 and 1',
      '"hidden/bias"',
    );
    expectError(
      await fitError({ optimizer: ['adam', sgd('hiden/*')] }),
      'BAD_OPTIMIZER',
      'Optimizer 1',
      'hiden/*',
      'hidden/kernel',
    );
    expectError(
      await fitError({ optimizer: sgd('hidden/*') }),
      'BAD_OPTIMIZER',
      'No optimizer claims out/kernel, out/bias',
      'frozen: true',
    );
    expectError(
      await fitError({ optimizer: ['adam', 'sgd'] }),
      'BAD_OPTIMIZER',
      'Optimizers 0 and 1',
      'params',
    );
  });
});
