import { errorOf, regression, regressor, TEST_BACKEND } from '@hookline/test-support';
import { beforeAll, describe, test } from 'vitest';
import { selectBackend, Trainer } from '../src/index.js';
import { expectError, fitError } from './support/fit-error.js';
import { quietTrainer } from './support/quiet-trainer.js';

beforeAll(() => selectBackend({ backend: TEST_BACKEND, root: '.' }));

const data = regression(8);

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

  test.each(['off', 'no', 0, 1, null, {}])('%j where true or false is expected', async (value) => {
    for (const name of ['shuffle', 'strictResume', 'fastDevRun']) {
      expectError(await fitError({}, { [name]: value }), 'BAD_OPTIONS', `fit(): ${name} is`, 'true or false');
    }
    expectError(
      await fitError({ signals: value }),
      'BAD_OPTIONS',
      'new Trainer(): signals is',
      'expected true or false',
    );
  });

  test.each([true, '', 7, null, {}])('%j where the folder of runs is expected', async (runsDir) => {
    expectError(await fitError({ runsDir }), 'BAD_OPTIONS', 'runsDir is', 'the path of a folder, or false');
  });

  test.each(['10', 0, -1, true, Number.NaN, null])('%j as the patience with hooks', async (hookTimeout) => {
    expectError(await fitError({ hookTimeout }), 'BAD_OPTIONS', 'hookTimeout is', 'above 0, or false');
  });

  test.each([
    [{ maxSteps: 0 }, 'maxSteps is 0, expected a whole number above 0'],
    [{ overfitBatches: 1.5 }, 'overfitBatches is 1.5, expected a whole number above 0'],
    [{ sanityBatches: -1 }, 'sanityBatches is -1, expected a whole number above 0'],
    [{ maxSeconds: '60' }, 'maxSeconds is "60", expected a number above 0'],
    [{ limitTrainBatches: 0 }, 'limitTrainBatches is 0, expected a number above 0'],
    [{ limitValBatches: -0.5 }, 'limitValBatches is -0.5, expected a number above 0'],
    [{ validationSplit: 1 }, 'validationSplit is 1, expected a number between 0 and 1'],
    [{ validateEvery: { steps: 0 } }, 'validateEvery.steps is 0, expected a whole number above 0'],
    [{ validateEvery: { step: 3 } }, 'Did you mean "steps"?'],
    [{ validation: data, validationSplit: 0.5 }, 'Leave one of them out.'],
    [{ override: true, resume: '' }, 'resume is "", expected "auto", "best", "last"'],
    [{ resume: true }, 'Did you mean resume: "auto"?'],
    [{ override: ['seed'] }, 'override'],
    [{ resume: 'auto', override: 'all' }, 'override names "all".'],
  ])('%j in fit', async (fit, words) => {
    expectError(await fitError({}, fit), 'BAD_OPTIONS', 'fit()', words);
  });

  test.each([
    [{ ema: { decay: 1 } }, 'ema.decay is 1, expected a number between 0 and 1'],
    [{ ema: { decay: '0.9' } }, 'ema.decay is "0.9"'],
    [{ accumulate: { 0: 2, 5: 0 } }, 'accumulate is 0, expected a whole number above 0'],
    [{ seed: '7' }, 'seed is "7", expected a whole number'],
    [{ seed: 2 ** 60 }, 'expected a whole number'],
  ])('%j in the trainer', async (options, words) => {
    expectError(await fitError(options), 'BAD_OPTIONS', words);
  });

  test.each(['', 'auto', undefined, 7])('load(%j), which is not a checkpoint', async (checkpoint) => {
    const error = await errorOf(quietTrainer({ model: regressor() }).load(checkpoint as never));
    expectError(error, 'BAD_OPTIONS', 'load() was given', "'best', 'last' or the path", "resume: 'auto'");
  });

  test('an unknown strategy', async () => {
    expectError(
      await fitError({ strategy: 'acelerate' }),
      'BAD_OPTIONS',
      'acelerate',
      'Did you mean "accelerate"?',
    );
  });

  test('two hooks with one name fail at once, with the name', async () => {
    const twin = { name: 'twin', onEpochEnd: () => {} };
    expectError(await fitError({ hooks: [twin, { ...twin }] }), 'DUPLICATE_HOOK', '"twin"');
    const trainer = quietTrainer({ model: regressor(), hooks: [twin] });
    expectError(await errorOf(() => trainer.addHook({ ...twin })), 'DUPLICATE_HOOK', '"twin"');
  });

  test('a hook with a method that is not an event', async () => {
    const typo = { name: 'typo', onTrainBatchEn: () => {} };
    expectError(await fitError({ hooks: [typo] }), 'UNKNOWN_EVENT', 'Did you mean "onTrainBatchEnd"?');
  });
});
