import { expect, test } from 'vitest';
import { finiteOrText, foreignState, messageOf, shortNumber } from '../src/helpers.js';

test('a short number has four significant digits and no trailing zeros', () => {
  expect([0.001, 0.0003333333, 1e-7, 12345, 2, Number.NaN].map(shortNumber)).toEqual([
    '0.001',
    '0.0003333',
    '1e-7',
    '12350',
    '2',
    'NaN',
  ]);
});

test('whatever was thrown has a message', () => {
  expect([new Error('no'), 'text', 3, null, undefined, { message: 'alike' }].map(messageOf)).toEqual([
    'no',
    'text',
    '3',
    'null',
    'undefined',
    'alike',
  ]);
});

test('JSON keeps NaN and the infinities as text that Number() turns back', () => {
  const json = JSON.stringify({ a: [Number.NaN, -Infinity, 1] }, finiteOrText);
  expect(JSON.parse(json).a.map(Number)).toEqual([Number.NaN, -Infinity, 1]);
});

test('a state that belongs to another hook is shown, with what was expected and what to do', () => {
  const error = foreignState('mine', { wait: Number.NaN }, '{ best, wait }');
  expect(error).toMatchObject({ code: 'HOOK_STATE' });
  expect(error.message).toBe(
    'Hook "mine" was given a saved state that is not its own: {"wait":"NaN"}. Expected { best, wait }. ' +
      'To start it without a state, leave the state out.',
  );
});
