import { describe, expect, test } from 'vitest';
import { defineOptions, is, type OptionRule } from '../src/index.js';

interface Options {
  monitor?: string;
  patience?: number;
  minDelta?: number;
  strict?: boolean;
  mode?: 'min' | 'max';
  stop?: number | false;
}

const schema = defineOptions<Options>('early-stopping', {
  monitor: is.string,
  patience: is.integer({ min: 1 }),
  minDelta: is.number({ min: 0 }),
  strict: is.boolean,
  mode: is.oneOf('min', 'max'),
  stop: is.either(is.number(), is.oneOf(false)),
});

test('right options pass, and so do none, and undefined for any', () => {
  for (const options of [
    undefined,
    {},
    { patience: undefined },
    { monitor: 'val/loss', patience: 3, minDelta: 0, strict: false, mode: 'max', stop: false },
    { stop: 0.5 },
  ]) {
    expect(() => schema.check(options)).not.toThrow();
  }
});

test('wrong options are one error that lists every problem, with the nearest name', () => {
  expect(() => schema.check({ patiance: 3, patience: 0, mode: 'best', strict: 'yes' })).toThrowError(
    expect.objectContaining({
      code: 'HOOK_OPTIONS',
      message: [
        'Hook "early-stopping" was given wrong options:',
        '  - unknown option "patiance". Did you mean "patience"?',
        '  - "patience" must be a whole number of at least 1, got 0',
        '  - "mode" must be "min" or "max", got "best"',
        '  - "strict" must be true or false, got "yes"',
        'Known options: monitor, patience, minDelta, strict, mode, stop.',
      ].join('\n'),
    }),
  );
});

test('an option that is like no other is reported all the same', () => {
  expect(() => schema.check({ learningRate: 1 })).toThrow('unknown option "learningRate".\n');
});

test('names that objects have by themselves are not options', () => {
  expect(() => schema.check({ constructor: 1 })).toThrow('unknown option "constructor"');
});

test('options that are not an object are refused', () => {
  for (const [options, shown] of [
    [3, '3'],
    ['val/loss', '"val/loss"'],
    [null, 'null'],
  ]) {
    expect(() => schema.check(options as never)).toThrow(`expected an object, got ${shown}`);
  }
});

test('a hook without options says so', () => {
  expect(() => defineOptions('plain', {}).check({ x: 1 })).toThrow('Known options: none.');
});

test('is a Standard Schema: issues for what is wrong, the value for what is right', async () => {
  const { version, vendor, validate } = schema['~standard'];
  expect({ version, vendor }).toEqual({ version: 1, vendor: 'hookline' });
  const right = { patience: 2 };
  expect(await validate(right)).toEqual({ value: right });
  expect(await validate({ patience: 2.5, x: 1 })).toEqual({
    issues: [
      { message: '"patience" must be a whole number of at least 1, got 2.5' },
      { message: 'unknown option "x".' },
    ],
  });
});

describe('rules', () => {
  const cases: [string, OptionRule, unknown[], unknown[], string][] = [
    ['string', is.string, ['', 'x'], [1, null, {}], 'a string'],
    ['boolean', is.boolean, [true, false], [0, 'true'], 'true or false'],
    ['object', is.object, [{}, []], [null, 'x'], 'an object'],
    ['function', is.function, [() => {}, class {}], [{}, 'x'], 'a function'],
    ['number', is.number(), [0, -1.5, Infinity], [Number.NaN, '1', 1n], 'a number'],
    ['number, min', is.number({ min: 0 }), [0, 2], [-0.1], 'a number of at least 0'],
    ['number, max', is.number({ max: 1 }), [1, -2], [1.1], 'a number of at most 1'],
    ['number, both', is.number({ min: 0, max: 1 }), [0, 1], [2], 'a number from 0 to 1'],
    ['number, above', is.number({ above: 0 }), [0.1, Infinity], [0, -1, Number.NaN], 'a number above 0'],
    ['number, below', is.number({ below: 1 }), [0.9, -Infinity], [1, 2], 'a number below 1'],
    [
      'number, one bound of each kind',
      is.number({ min: 0, below: 1 }),
      [0, 0.9],
      [-0.1, 1],
      'a number of at least 0 and below 1',
    ],
    [
      'number, between',
      is.number({ above: 0, max: 1 }),
      [0.1, 1],
      [0, 1.1],
      'a number above 0 and of at most 1',
    ],
    [
      'number, finite',
      is.number({ min: 0, below: Infinity }),
      [0, 1e9],
      [Infinity],
      'a number of at least 0',
    ],
    ['integer, above', is.integer({ above: 2 }), [3], [2, 2.5], 'a whole number above 2'],
    ['integer', is.integer(), [0, -3], [1.5, Infinity, '1'], 'a whole number'],
    ['integer, both', is.integer({ min: 1, max: 9 }), [1, 9], [0, 10], 'a whole number from 1 to 9'],
    ['oneOf', is.oneOf('a', 1, false), ['a', 1, false], ['1', true], '"a" or 1 or false'],
    [
      'either',
      is.either(is.string, is.integer({ min: 1 })),
      ['x', 1],
      [0, {}],
      'a string or a whole number of at least 1',
    ],
  ];

  test.each(cases)('%s', (_, rule, right, wrong, expected) => {
    for (const value of right) expect(rule(value)).toBeUndefined();
    for (const value of wrong) expect(rule(value)).toBe(expected);
  });
});

test('whatever was given can be shown', () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const show = (value: unknown) => {
    const { check } = defineOptions<{ x?: string }>('a', { x: is.string });
    try {
      check({ x: value });
    } catch (error) {
      return /got (.*)\n/.exec((error as Error).message)?.[1];
    }
  };
  expect([Number.NaN, 10n, Symbol('s'), circular, { a: [1, Infinity] }, () => {}, null].map(show)).toEqual([
    'NaN',
    '10',
    'Symbol(s)',
    'an object',
    '{"a":[1,"Infinity"]}',
    'function (anonymous)',
    'null',
  ]);
});
