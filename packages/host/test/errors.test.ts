import { afterEach, describe, expect, test, vi } from 'vitest';
import { asFailure, failure } from '../src/browser/errors.js';

afterEach(() => vi.unstubAllGlobals());

describe('failures of the browser', () => {
  test('look like those of Node: code, number, call and path', () => {
    const error = failure('ENOENT', 'open', '/runs/x');
    expect(error).toMatchObject({ code: 'ENOENT', errno: -2, syscall: 'open', path: '/runs/x' });
    expect(error.message).toBe("ENOENT: no such file or directory, open '/runs/x'");
  });

  test.each([
    ['NotFoundError', 'ENOENT'],
    ['TypeMismatchError', 'EISDIR'],
    ['QuotaExceededError', 'ENOSPC'],
    ['NoModificationAllowedError', 'EBUSY'],
    ['SecurityError', 'EACCES'],
    ['NotAllowedError', 'EACCES'],
    ['UnknownError', 'EIO'],
  ])('%s becomes %s, with the reason of the browser', async (name, code) => {
    const cause = new DOMException('because', name);
    const error = await asFailure(cause, 'write', '/a');
    expect(error).toMatchObject({ code, syscall: 'write', path: '/a', cause });
    expect(error.message).toContain('(because)');
    expect(error.errno).toBeLessThan(0);
  });

  test('what has the form already is passed on', async () => {
    const error = failure('EEXIST', 'mkdir', '/a');
    expect(await asFailure(error, 'open', '/b')).toBe(error);
  });

  test('what is not an error at all is told, too', async () => {
    expect(await asFailure('strange', 'open', '/b')).toMatchObject({ code: 'EIO', cause: 'strange' });
    expect(await asFailure(undefined, 'open', '/b')).toMatchObject({ code: 'EIO' });
  });

  test('a full quota says how much is used, where the browser tells', async () => {
    const full = new DOMException('', 'QuotaExceededError');
    const estimate = async () => ({ usage: 3 * 2 ** 20, quota: 4 * 2 ** 20 });
    vi.stubGlobal('navigator', { storage: { estimate } });
    expect((await asFailure(full, 'write', '/a')).message).toBe(
      "ENOSPC: the storage that the browser gives this site is full, write '/a'; 3.0 of 4.0 MB are used",
    );
    vi.stubGlobal('navigator', { storage: { estimate: () => Promise.reject(new Error('no')) } });
    expect((await asFailure(full, 'write', '/a')).message).toMatch(/is full, write '\/a'$/);
    vi.stubGlobal('navigator', {});
    expect((await asFailure(full, 'write', '/a')).message).toMatch(/is full, write '\/a'$/);
  });
});
