import { HookFatalError, HooklineError, isFatal } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { fromPlain, type PlainError, toPlain } from '../src/plain-error.js';

/** As it arrives on the other side. */
function sent(error: unknown): Error & { code?: string } {
  return fromPlain(structuredClone(toPlain(error)));
}

test('an error arrives with its name, message, code and the stack where it was thrown', () => {
  const error = new HooklineError('BAD_OPTIONS', 'epochs is -1.');
  const arrived = sent(error);
  expect(arrived).toBeInstanceOf(HooklineError);
  expect(arrived).toMatchObject({ name: 'HooklineError', code: 'BAD_OPTIONS', message: 'epochs is -1.' });
  expect(arrived.stack).toBe(error.stack);
});

test('an error of somebody else keeps its name, and has no code', () => {
  const arrived = sent(new RangeError('too far'));
  expect(arrived).toBeInstanceOf(Error);
  expect([arrived.name, arrived.message, arrived.code]).toEqual(['RangeError', 'too far', undefined]);
  expect(Object.keys(arrived)).not.toContain('name');
});

test('a code of the system is kept, and one that is not text is left out', () => {
  expect(sent(Object.assign(new Error('gone'), { code: 'ENOENT' })).code).toBe('ENOENT');
  expect(sent(Object.assign(new Error('odd'), { code: 7 })).code).toBeUndefined();
});

test('an error that must end the run still must', () => {
  expect(isFatal(sent(new HookFatalError('not like this')))).toBe(true);
  expect(isFatal(sent(new Error('like this')))).toBe(false);
});

test('causes come along, and a ring of them ends', () => {
  const cause = new TypeError('x is undefined');
  expect(sent(new Error('failed', { cause })).cause).toMatchObject({
    name: 'TypeError',
    message: 'x is undefined',
  });
  const ring = new Error('ring');
  ring.cause = ring;
  let depth = 0;
  for (let each: unknown = sent(ring); each instanceof Error; each = each.cause) depth++;
  expect(depth).toBe(6);
});

test.each([
  ['a text', 'a text'],
  [undefined, 'undefined'],
  [null, 'null'],
  [42, '42'],
])('%s, which is not an error, is one when it arrives', (thrown, message) => {
  expect(sent(thrown)).toMatchObject({ name: 'Error', message });
});

test('what cannot be cloned does not keep an error from being sent', () => {
  const error = Object.assign(new Error('with a function'), {
    code: 'X',
    fix: () => {},
    cause: { a: () => {} },
  });
  const plain: PlainError = structuredClone(toPlain(error));
  expect(plain).toMatchObject({ code: 'X', message: 'with a function' });
  expect(sent(error).message).toBe('with a function');
});
