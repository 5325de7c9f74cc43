import { posix } from 'node:path';
import { expect, test } from 'vitest';
import * as browser from '../src/browser/paths.js';
import type { Paths } from '../src/contract.js';

const paths: Paths = browser;

/** Parts of paths that are likely to go wrong. */
const PARTS = ['', '/', '//', '.', '..', 'a', 'b.json', '.hidden', 'x.tar.gz', 'é', 'a b', '...', 'a..', '-'];

test('paths are put together and taken apart as Node does, whatever they are made of', () => {
  for (const path of somePaths(1500)) {
    // Two slashes at the beginning are one here; POSIX leaves it open.
    if (/^\/\/+[^/]/.test(path)) continue;
    for (const name of ['basename', 'dirname', 'extname', 'isAbsolute'] as const) {
      expect(paths[name](path), `${name}(${JSON.stringify(path)})`).toBe(posix[name](path));
    }
  }
});

test('two paths are joined, resolved and related as Node does from the root', () => {
  const some = somePaths(600);
  for (const [i, path] of some.entries()) {
    const other = some[(i * 7 + 3) % some.length]!;
    const what = JSON.stringify([path, other]);
    expect(paths.join(path, other), `join ${what}`).toBe(posix.join(path, other));
    expect(paths.resolve(path, other), `resolve ${what}`).toBe(posix.resolve('/', path, other));
    expect(paths.relative(path, other), `relative ${what}`).toBe(
      posix.relative(posix.resolve('/', path), posix.resolve('/', other)),
    );
  }
});

test('the names on the way from the root never lead out of it', () => {
  expect(browser.namesOf('/a/../../b')).toEqual(['b']);
  expect(browser.namesOf('../../..')).toEqual([]);
  expect(browser.namesOf('runs/./1//x/')).toEqual(['runs', '1', 'x']);
  expect(browser.namesOf('/')).toEqual([]);
});

test('joining nothing is the folder itself', () => {
  expect(paths.join()).toBe('.');
  expect(paths.join('', '')).toBe('.');
  expect(paths.resolve()).toBe('/');
  expect(paths.sep).toBe('/');
});

/** The same ones each time. */
function somePaths(count: number): string[] {
  let state = 5;
  const next = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % below;
  };
  return Array.from({ length: count }, () => {
    const parts = Array.from({ length: 1 + next(5) }, () => PARTS[next(PARTS.length)]!);
    return parts.join(next(4) === 0 ? '' : '/');
  });
}
