import { errorOf, regression, regressor } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, test } from 'vitest';
import { combine, csv, DataLoader, selectBackend, Trainer, type TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';
import { ofData } from './data.js';
import { ofTools } from './files-and-tools.js';
import { ofFit } from './fit-options.js';
import { ofHooks } from './hooks.js';
import { ofObjective } from './objective.js';
import { ofTrainer } from './trainer-options.js';

beforeAll(() => selectBackend({ backend: 'cpu', root: '.' }));

/** What the lines of the tables can use. */
const scope = {
  Trainer,
  DataLoader,
  combine,
  csv,
  tf,
  model: regressor,
  data: regression(8),
  trainer: (options: object) => quietTrainer({ model: regressor(), ...options } as TrainerOptions),
  fit: (options: object, ofTrainer: object = {}) =>
    quietTrainer({ model: regressor(), ...ofTrainer } as TrainerOptions).fit(options as never),
  test: (options: object) => quietTrainer({ model: regressor() }).test(options as never),
};

function run(wrote: string): unknown {
  return new Function(...Object.keys(scope), `return ${wrote};`)(...Object.values(scope));
}

const mistakes = [...ofTrainer, ...ofFit, ...ofObjective, ...ofData, ...ofHooks, ...ofTools];

test('no mistake is in the tables twice', () => {
  expect(new Set(mistakes.map(([wrote]) => wrote)).size).toBe(mistakes.length);
});

test.each(mistakes)('%s is %s, and the message names %s', async (wrote, code, fix) => {
  const error = await errorOf(() => run(wrote));
  expect(error, error.stack ?? '').toMatchObject({ name: 'HooklineError', code });
  expect(error.message).toContain(fix);
});
