import type { HooklineError } from '@hookline/hook-api';
import { classes, classifier, errorOf, regression, regressor, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, describe, expect, test } from 'vitest';
import { meanMetric, selectBackend, Trainer, type TrainerOptions } from '../src/index.js';
import { quietTrainer } from './support/quiet-trainer.js';

beforeAll(() => selectBackend({ backend: 'cpu', root: '.' }));

const data = regression(8);

function expectError(error: HooklineError, code: string, ...parts: string[]): void {
  expect(error.code, error.message).toBe(code);
  for (const part of parts) expect(error.message).toContain(part);
}

/** What fit says to options, none of them checked by the compiler. */
const fitError = (options: object, fit: object = {}) =>
  errorOf(() =>
    quietTrainer({ model: regressor(), ...options } as TrainerOptions).fit({
      train: data,
      epochs: 1,
      ...fit,
    } as never),
  );

describe('options', () => {
  test('an unknown one is named with the nearest', async () => {
    expectError(
      await fitError({ optimiser: 'adam' }),
      'BAD_OPTIONS',
      '"optimiser"',
      'Did you mean "optimizer"?',
    );
    expectError(
      await fitError({}, { epoch: 1 }),
      'BAD_OPTIONS',
      'fit()',
      '"epoch"',
      'Did you mean "epochs"?',
    );
    const error = await errorOf(quietTrainer({ model: regressor() }).test({ data, batchsize: 2 } as never));
    expectError(error, 'BAD_OPTIONS', 'test()', 'Did you mean "batchSize"?');
    expectError(
      await fitError({ optimizer: { name: 'sgd', momentun: 1 } }),
      'BAD_OPTIONS',
      'Did you mean "momentum"?',
    );
  });

  test('none at all, or something else', async () => {
    expectError(
      await errorOf(() => new Trainer(undefined as never)),
      'BAD_OPTIONS',
      'new Trainer()',
      'object',
    );
    expectError(await errorOf(() => new Trainer({} as never)), 'BAD_OPTIONS', 'needs a model');
    const trainer = quietTrainer({ model: regressor() });
    expectError(await errorOf(trainer.fit(undefined as never)), 'BAD_OPTIONS', 'fit()', 'undefined');
  });

  test('numbers that make no sense', async () => {
    for (const epochs of [0, -1, 1.5, Number.NaN, undefined, '3']) {
      expectError(await fitError({}, { epochs }), 'BAD_OPTIONS', 'epochs', String(epochs), 'above 0');
    }
    expectError(await fitError({}, { batchSize: 0 }), 'BAD_OPTIONS', 'batchSize');
    expectError(await fitError({ accumulate: 0.5 }), 'BAD_OPTIONS', 'accumulate');
    expectError(await fitError({ seed: 1.5 }), 'BAD_OPTIONS', 'seed');
    expectError(await fitError({ nonFiniteLoss: 'ignore' }), 'BAD_OPTIONS', 'nonFiniteLoss', '"skip"');
    for (const clip of [{}, { norm: -1 }, { norm: 1, value: 1 }, { max: 1 }]) {
      expectError(await fitError({ clip }), 'BAD_OPTIONS', 'clip', JSON.stringify(clip));
    }
  });

  test('an unknown strategy', async () => {
    expectError(await fitError({ strategy: 'acelerate' }), 'BAD_OPTIONS', 'acelerate', 'simple, accelerate');
  });

  test('two hooks with one name fail at once, with the name', async () => {
    const twin = { name: 'twin', onEpochEnd: () => {} };
    expectError(await fitError({ hooks: [twin, { ...twin }] }), 'DUPLICATE_HOOK', '"twin"');
    const trainer = quietTrainer({ model: regressor(), hooks: [twin] });
    expectError(await errorOf(() => trainer.addHook({ ...twin })), 'DUPLICATE_HOOK', '"twin"');
  });

  test('a hook whose method is no event', async () => {
    const typo = { name: 'typo', onTrainBatchEn: () => {} };
    expectError(await fitError({ hooks: [typo] }), 'UNKNOWN_EVENT', 'Did you mean "onTrainBatchEnd"?');
  });
});

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

  test('a loss that is no single number, or no tensor', async () => {
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

  test('metrics that are no list, or no metric', async () => {
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

describe('the model', () => {
  test('something that is none', async () => {
    expectError(await fitError({ model: { predict: () => {} } }), 'BAD_MODEL', 'TrainableModule');
    expectError(await fitError({ model: () => 5 }), 'BAD_MODEL', 'LayersModel');
  });

  test('no trainable parameter: it cannot be trained, and can still be evaluated', async () => {
    const model = regressor();
    for (const layer of model.layers) layer.trainable = false;
    const trainer = quietTrainer({ model });
    expectError(await errorOf(trainer.fit({ train: data, epochs: 1 })), 'BAD_MODEL', 'trainable = true');
    expect(await trainer.test({ data })).toEqual({ 'test/loss': expect.any(Number) });
  });

  test('all parameters in frozen groups', async () => {
    const optimizer = { name: 'adam', groups: [{ params: '**', frozen: true }] };
    expectError(await fitError({ optimizer }), 'BAD_MODEL', 'not frozen');
  });

  test('parameters of frozen layers need no optimizer', async () => {
    const model = regressor();
    model.layers[1]!.trainable = false;
    const trainer = quietTrainer({ model, optimizer: { name: 'sgd', params: 'hidden/*' } });
    expect((await trainer.fit({ train: data, epochs: 1 })).status).toBe('completed');
  });

  test('layers that were added after the first use are trained too', async () => {
    const model = tfl.sequential({ layers: [tfl.layers.dense({ units: 2, inputShape: [3] })] });
    tf.dispose(model.predict(tf.ones([1, 3])));
    model.add(tfl.layers.dense({ name: 'late', units: 1 }));
    const before = weightsOf(model);
    await quietTrainer({ model }).fit({ train: data, epochs: 1 });
    expect(weightsOf(model)[2]).not.toEqual(before[2]);
  });

  test('a factory that fails may be mended: the next call builds again', async () => {
    let attempts = 0;
    const trainer = quietTrainer({
      model: () => {
        if (attempts++ === 0) throw new Error('no file yet');
        return regressor();
      },
    });
    expect((await errorOf(trainer.ready())).message).toBe('no file yet');
    expect((await trainer.fit({ train: data, epochs: 1 })).status).toBe('completed');
  });
});

describe('the data', () => {
  const dataError = (train: unknown, options: object = {}) => fitError(options, { train });

  test('inputs of the wrong shape are named with both shapes', async () => {
    const error = await dataError({ xs: [[1, 2]], ys: [[1]] });
    expectError(error, 'BAD_BATCH', 'Batch 0 of loader "train"', '[1,2]', '[batch, 3]', 'reshape');
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

  test('uneven arrays, and things that are no numbers', async () => {
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
    expectError(await dataError([{ xs: gone, ys }]), 'BAD_BATCH', 'Batch 0', '[2,3]', 'disposed', 'tf.clone');
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

describe('what cannot be done now', () => {
  test('fit while fitting', async () => {
    const trainer = quietTrainer({ model: regressor() });
    const first = trainer.fit({ train: data, epochs: 3 });
    const second = await errorOf(trainer.fit({ train: data, epochs: 1 }));
    expectError(second, 'BUSY', 'fit already', 'Await it first');
    expect((await first).history).toHaveLength(3);
    expect((await trainer.fit({ train: data, epochs: 1 })).status).toBe('completed');
  });

  test('evaluating from inside a run', async () => {
    let error: HooklineError | undefined;
    const trainer = quietTrainer({
      model: regressor(),
      hooks: [
        {
          name: 'impatient',
          onEpochEnd: async () => {
            error = await errorOf(trainer.validate({ data }));
          },
        },
      ],
    });
    await trainer.fit({ train: data, epochs: 1 });
    expectError(error!, 'BUSY');
  });

  test('resume when no hook has checkpoints names what to install', async () => {
    expectError(
      await fitError({}, { resume: 'auto' }),
      'NO_CHECKPOINTS',
      'resume: "auto"',
      'npm install @hookline/hook-checkpoint',
    );
  });
});
