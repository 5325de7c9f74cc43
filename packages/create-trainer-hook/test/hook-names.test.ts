import { errorOf } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { hookNames } from '../src/hook-names.js';

test.each([
  ['ema', { folder: 'ema', package: 'trainer-hook-ema', hook: 'ema', factory: 'ema', type: 'Ema' }],
  ['loss-2x-log', { hook: 'loss-2x-log', factory: 'loss2xLog', type: 'Loss2xLog' }],
  ['hook-ema', { folder: 'hook-ema', package: 'trainer-hook-ema', hook: 'ema' }],
  ['@acme/trainer-hook-ema', { folder: 'trainer-hook-ema', package: '@acme/trainer-hook-ema', hook: 'ema' }],
  ['@a.b_c-1/ema', { package: '@a.b_c-1/trainer-hook-ema' }],
  ['./hooks/ema', { folder: './hooks/ema', package: 'trainer-hook-ema' }],
])('%s gives every name', (given, names) => {
  expect(hookNames(given)).toMatchObject(names);
});

test.each(['switch', 'default', 'new', 'test', 'schema', 'batch', 'test-hook'])(
  'the hook %s has a factory that can be declared and imported',
  (name) => {
    const { hook, factory } = hookNames(name);
    expect(hook).toBe(name);
    expect(factory).toMatch(/Hook$/);
    expect(() => new Function(`const ${factory} = 1;`)).not.toThrow();
  },
);

test('words that only begin like one of JavaScript are left as they are', () => {
  expect(hookNames('newton').factory).toBe('newton');
  expect(hookNames('switch-off').factory).toBe('switchOff');
});

test.each([
  ['', '"" cannot be the name of a hook'],
  ['a--b', 'with "-" between words'],
  ['-a', 'with "-" between words'],
  ['a-', 'with "-" between words'],
  ['a.b', 'small letters and digits'],
  ['ärger', 'small letters and digits'],
  ['trainer-hook-', '"" cannot be the name of a hook'],
  ['@acme/', '"" cannot be the name of a hook'],
  ['@/ema', 'small letters'],
  ['index', '"index" is the name of a file that every hook package has'],
  ['trainer-hook-options', '"options" is the name of a file'],
  ['@acme/conformance', '"conformance" is the name of a file'],
])('%j is refused with the reason and an example', async (given, why) => {
  const error = await errorOf(() => hookNames(given));
  expect(error.code).toBe('BAD_NAME');
  expect(error.message).toContain(`${JSON.stringify(given)} is not a name for a hook: `);
  expect(error.message).toContain(why);
  expect(error.message).toContain('For example: npm create trainer-hook my-hook');
});

test('the longest name that npm takes is taken, and the next one is not', async () => {
  const room = 214 - 'trainer-hook-'.length;
  expect(hookNames('a'.repeat(room)).package).toHaveLength(214);
  expect((await errorOf(() => hookNames('a'.repeat(room + 1)))).message).toContain('at most 214 characters');
});
