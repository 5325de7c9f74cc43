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
