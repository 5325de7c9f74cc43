import { describe, expect, test } from 'vitest';
import { belowOne, checkKeys, checkOptions, notNegative, positive } from '../src/helpers.js';
import { is } from '../src/index.js';

const rules = { lr: notNegative, epsilon: positive, beta1: belowOne, nesterov: is.boolean };

describe('checkOptions', () => {
  test('lets right options pass, and undefined for any of them', () => {
    expect(() => checkOptions({}, rules, 'adam')).not.toThrow();
    expect(() =>
      checkOptions({ lr: 0, epsilon: 1e-8, beta1: 0, nesterov: true }, rules, 'adam'),
    ).not.toThrow();
    expect(() => checkOptions({ lr: undefined }, rules, 'adam')).not.toThrow();
  });

  test('lists everything that is wrong in one error, in the words that hooks use for theirs', () => {
    const options = { Lr: 1, epsilon: 0, beta1: 1, nesterov: 'yes' };
    expect(() => checkOptions(options, rules, 'Optimizer "adam"')).toThrowError(
      expect.objectContaining({
        code: 'BAD_OPTIONS',
        message: [
          'Optimizer "adam" was given wrong options:',
          '  - unknown option "Lr". Did you mean "lr"?',
          '  - "epsilon" must be a number above 0, got 0',
          '  - "beta1" must be a number of at least 0 and below 1, got 1',
          '  - "nesterov" must be true or false, got "yes"',
          'Known options: lr, epsilon, beta1, nesterov.',
        ].join('\n'),
      }),
    );
  });

  test('does not take a name that every object has for an option', () => {
    expect(() => checkOptions({ toString: 1 }, rules, 'adam')).toThrow('unknown option "toString"');
  });

  test.each([undefined, null, 3, 'adam'])('refuses %o, which is not an object', (options) => {
    expect(() => checkOptions(options as never, rules, 'fit()')).toThrow(
      /^fit\(\) was .*\n {2}- expected an object/,
    );
  });
});

describe('checkKeys', () => {
  test('looks at the names only', () => {
    expect(() =>
      checkKeys({ data: 'whatever', batchSize: -1 }, ['data', 'batchSize'], 'test()'),
    ).not.toThrow();
  });

  test('reports every unknown name with the nearest one', () => {
    expect(() => checkKeys({ bachSize: 1, dta: 2 }, ['data', 'batchSize'], 'test()')).toThrowError(
      expect.objectContaining({
        code: 'BAD_OPTIONS',
        message: [
          'test() was given wrong options:',
          '  - unknown option "bachSize". Did you mean "batchSize"?',
          '  - unknown option "dta". Did you mean "data"?',
          'Known options: data, batchSize.',
        ].join('\n'),
      }),
    );
  });

  test('refuses what is not an object: a call without its options', () => {
    expect(() => checkKeys(undefined as never, ['data'], 'fit()')).toThrow(
      'expected an object, got undefined',
    );
  });
});

describe('numbers', () => {
  test.each([
    ['notNegative', notNegative, [0, 3.5], [-1e-9, Infinity, Number.NaN, '1', null]],
    ['positive', positive, [1e-9, 3.5], [0, -1, Infinity, Number.NaN, '1']],
    ['belowOne', belowOne, [0, 0.999], [1, -0.1, Number.NaN, true]],
  ] as const)('%s', (_, rule, right, wrong) => {
    for (const value of right) expect(rule(value)).toBeUndefined();
    for (const value of wrong) expect(rule(value)).toMatch(/^a number/);
  });
});
