import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { createSha256 } from '../src/browser/sha256.js';
import type { Paths } from '../src/contract.js';
import * as browser from '../src/host/browser.js';
import * as node from '../src/host/node.js';

describe('the browser half', () => {
  it('has everything that the half of Node has, with the same types', () => {
    expect(Object.keys(browser).sort()).toEqual(Object.keys(node).sort());
    expectTypeOf<typeof browser>().toExtend<typeof node>();
  });

  it('hashes as Node does, whatever the pieces', () => {
    const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * 37) % 251);
    for (let length = 0; length < 300; length++) {
      const expected = createHash('sha256').update(bytes.subarray(0, length)).digest('hex');
      const cut = (length * 7) % (length + 1);
      const pieces = createSha256().update(bytes.subarray(0, cut)).update(bytes.subarray(cut, length));
      expect(pieces.digest(), `${length} bytes, cut at ${cut}`).toBe(expected);
    }
    const text = 'ü'.repeat(100_000);
    expect(createSha256().update(text).digest()).toBe(createHash('sha256').update(text).digest('hex'));
  });

  const paths: Paths = browser;

  it('joins and takes apart paths as Node does', () => {
    const examples = [
      '/',
      '/a',
      '/a/',
      'a',
      'a/b.json',
      '/a/../b/./c',
      '../x',
      './a//b',
      '/runs/1/state.tar.gz',
      '.hidden',
    ];
    for (const path of examples) {
      for (const name of ['basename', 'dirname', 'extname', 'isAbsolute'] as const) {
        expect(paths[name](path), `${name}(${path})`).toBe(posix[name](path));
      }
      for (const other of examples) {
        expect(browser.join(path, other), `join(${path}, ${other})`).toBe(posix.join(path, other));
        expect(browser.resolve(path, other)).toBe(posix.resolve('/', path, other));
        expect(browser.relative(path, other)).toBe(
          posix.relative(posix.resolve('/', path), posix.resolve('/', other)),
        );
      }
    }
  });
});
