import { describe, expect, it } from 'vitest';
import { matchesPath, type PathFilter } from '../src/index.js';

const PATHS = [
  'dense_1',
  'dense_12',
  'encoder',
  'encoder/dense_1',
  'encoder/block/dense_1',
  'bidi/forward/cell',
];

const matching = (filter: PathFilter): string[] => PATHS.filter((path) => matchesPath(filter, path));

describe('a path filter', () => {
  it('without a star is the exact path', () => {
    expect(matching('dense_1')).toEqual(['dense_1']);
    expect(matching('encoder')).toEqual(['encoder']);
  });

  it('takes * as anything inside one segment', () => {
    expect(matching('dense_*')).toEqual(['dense_1', 'dense_12']);
    expect(matching('encoder/*')).toEqual(['encoder/dense_1']);
    expect(matching('*/forward/*')).toEqual(['bidi/forward/cell']);
    expect(matching('*')).toEqual(['dense_1', 'dense_12', 'encoder']);
  });

  it('takes ** as any number of segments, none included', () => {
    expect(matching('**')).toEqual(PATHS);
    expect(matching('**/dense_1')).toEqual(['dense_1', 'encoder/dense_1', 'encoder/block/dense_1']);
    expect(matching('encoder/**/dense_1')).toEqual(['encoder/dense_1', 'encoder/block/dense_1']);
    expect(matching('encoder/**')).toEqual(['encoder/dense_1', 'encoder/block/dense_1']);
  });

  it('reads every other character literally', () => {
    expect(matchesPath('a.c*', 'abc')).toBe(false);
    expect(matchesPath('a.c*', 'a.cd')).toBe(true);
    expect(matchesPath('a(b)+*', 'a(b)+')).toBe(true);
  });

  it('may be a regular expression, also a global one', () => {
    const pattern = /dense_\d$/g;
    const expected = ['dense_1', 'encoder/dense_1', 'encoder/block/dense_1'];
    expect(matching(pattern)).toEqual(expected);
    expect(matching(pattern)).toEqual(expected);
  });

  it('may be a list or a function', () => {
    expect(matching(['encoder', /cell$/])).toEqual(['encoder', 'bidi/forward/cell']);
    expect(matching([])).toEqual([]);
    expect(matching((path) => path.length === 8)).toEqual(['dense_12']);
  });

  it('of another type is refused', () => {
    for (const filter of [undefined, null, 3, [3]]) {
      expect(() => matchesPath(filter as never, 'dense_1')).toThrow(
        expect.objectContaining({ code: 'BAD_FILTER' }),
      );
    }
  });
});
