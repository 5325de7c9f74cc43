import { describe, expect, test } from 'vitest';
import { type Mix, mixOf } from '../../src/feed/mix.js';
import { type FeedPosition, Turns } from '../../src/feed/turns.js';

const NAMES = ['a', 'b', 'c'];
const all = [true, true, true];
const picks = (mix: Mix, count: number, open: readonly boolean[] = all, seed = 1) =>
  Array.from({ length: count }, (_, number) => mix.pick({ number, open, seed }));

const start = (): FeedPosition => ({
  epoch: 0,
  batch: 0,
  turn: 0,
  loaders: NAMES.map(() => ({ pass: 0, batch: 0, done: false })),
});

describe('a strategy picks a loader for each turn', () => {
  test('sequential: the first that still has batches', () => {
    const mix = mixOf(NAMES, {});
    expect(picks(mix, 3)).toEqual([0, 0, 0]);
    expect(picks(mix, 3, [false, false, true])).toEqual([2, 2, 2]);
  });

  test('round robin and a pattern go by the number of the turn', () => {
    expect(picks(mixOf(NAMES, { strategy: 'roundRobin' }), 5)).toEqual([0, 1, 2, 0, 1]);
    const pattern = ['c', 'a', 'b', 'a'];
    expect(picks(mixOf(NAMES, { strategy: 'alternating', pattern }), 6)).toEqual([2, 0, 1, 0, 2, 0]);
  });

  test('weighted: by seed and number of the turn, among those that still have batches', () => {
    const mix = mixOf(NAMES, { strategy: 'weighted', weights: { a: 8 } });
    expect(picks(mix, 50)).toEqual(picks(mix, 50));
    expect(picks(mix, 50, all, 2)).not.toEqual(picks(mix, 50));
    const share = picks(mix, 5000).filter((index) => index === 0).length / 5000;
    expect(share).toBeCloseTo(0.8, 1);
    expect(new Set(picks(mix, 100, [false, true, true]))).toEqual(new Set([1, 2]));
    expect(new Set(picks(mix, 20, [false, false, true]))).toEqual(new Set([2]));
  });
});

test('the same options have the same id, others another: it tells whether a position still holds', () => {
  const id = (options: Parameters<typeof mixOf>[1]) => mixOf(NAMES, options).id;
  expect(id({ strategy: 'roundRobin' })).toBe(id({ strategy: 'roundRobin', whenExhausted: 'continue' }));
  const ids = [
    id({}),
    id({ strategy: 'roundRobin' }),
    id({ strategy: 'roundRobin', whenExhausted: 'stop' }),
    id({ strategy: 'weighted' }),
    id({ strategy: 'weighted', weights: { a: 2 } }),
    id({ strategy: 'weighted', seed: 1 }),
    id({ strategy: 'alternating', pattern: ['a', 'b', 'c'] }),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});

describe('a loader that has no more batches', () => {
  const exhaustedAt = (whenExhausted: 'continue' | 'stop' | 'restart') => {
    const turns = new Turns(mixOf(NAMES, { strategy: 'roundRobin', whenExhausted }), start(), 1);
    const asked: (number | undefined)[] = [];
    for (let turn = 0; turn < 6; turn++) {
      const index = turns.next();
      asked.push(index);
      if (index === undefined) break;
      if (index === 1) turns.exhausted(index);
      else turns.took(index);
    }
    return { asked, position: turns.position };
  };

  test('loses its turns with continue', () => {
    expect(exhaustedAt('continue').asked).toEqual([0, 1, 2, 0, 2, 0]);
  });

  test('ends the epoch with stop', () => {
    expect(exhaustedAt('stop').asked).toEqual([0, 1, undefined]);
  });

  test('is asked again at once with restart, in its next pass', () => {
    const { asked, position } = exhaustedAt('restart');
    expect(asked).toEqual([0, 1, 1, 1, 1, 1]);
    expect(position.loaders[1]).toEqual({ pass: 5, batch: 0, done: true });
  });

  test('ends the epoch when it was the last one', () => {
    for (const whenExhausted of ['continue', 'restart'] as const) {
      const turns = new Turns(mixOf(NAMES, { strategy: 'roundRobin', whenExhausted }), start(), 1);
      for (const index of [0, 1, 2]) turns.exhausted(index);
      expect(turns.next()).toBeUndefined();
    }
  });
});

test('a position that was saved after a loader was done continues without it', () => {
  const position = start();
  position.loaders[0] = { pass: 0, batch: 2, done: true };
  const mix = mixOf(NAMES, { strategy: 'roundRobin' });
  const turns = new Turns(mix, position, 1);
  expect(turns.next()).toBe(1);
});
