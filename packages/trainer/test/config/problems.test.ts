import { join } from 'node:path';
import { HooklineError } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { configError, optionProblem, problemsIn } from '../../src/config/problems.js';

test.each([
  ['new Trainer(): seed is "one", expected a whole number.', 'seed', 'is "one", expected a whole number.'],
  [
    'fit(): epochs is 0, expected a whole number above 0.',
    'fit.epochs',
    'is 0, expected a whole number above 0.',
  ],
  ['There is no loss "x".', 'loss', 'There is no loss "x".'],
  ['seedling is 3', 'seed', 'seedling is 3'],
])('%s: where it stands is said once', (text, path, message) => {
  expect(problemsIn(new Error(text), path)).toEqual([{ path, message }]);
});

test('an error that lists several becomes one problem for each line', () => {
  const error = new HooklineError(
    'BAD_OPTIONS',
    'optimizer has 2 problems:\n  - unknown option "lrr". Did you mean "lr"?\n  - "momentum" must be a number, got "x"',
  );
  expect(problemsIn(error, 'optimizer')).toEqual([
    { path: 'optimizer.lrr', message: 'unknown option "lrr". Did you mean "lr"?' },
    { path: 'optimizer.momentum', message: 'must be a number, got "x"' },
  ]);
});

test('what is thrown and is not an error is told as it is', () => {
  expect(problemsIn('no GPU', 'model')).toEqual([{ path: 'model', message: 'no GPU' }]);
});

test('an option is named by the path alone, also at the top', () => {
  expect(optionProblem('unknown option "x"', '')).toEqual({ path: 'x', message: 'unknown option "x"' });
  expect(optionProblem('cannot be loaded', 'hooks.a')).toEqual({
    path: 'hooks.a',
    message: 'cannot be loaded',
  });
});

test('one error tells all problems, a line for each', () => {
  const file = join(process.cwd(), 'hookline.config.ts');
  const one = [{ path: 'seed', message: 'is "one".' }];
  expect(configError(file, one)).toMatchObject({
    code: 'BAD_CONFIG',
    message: 'hookline.config.ts has a problem:\n  - seed: is "one".',
  });
  expect(configError(file, [...one, { path: '', message: 'is empty.' }]).message).toBe(
    'hookline.config.ts has 2 problems:\n  - seed: is "one".\n  - is empty.',
  );
});
