import { numbers } from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import { isAmongBest, type RankingRule, type Rating, ranked } from '../src/rank/ranking.js';
import { expendable, type Rotatable, type RotationRules } from '../src/rank/rotation.js';

const RULES: RankingRule = { monitor: 'val/loss', mode: 'min', saveTopK: 2 };

const loss = (value: number): Rating => ({ monitor: 'val/loss', mode: 'min', value });
const accuracy = (value: number): Rating => ({ monitor: 'val/accuracy', mode: 'max', value });

function entry(sequence: number, value?: number, changes: Partial<Rotatable> = {}): Rotatable {
  const ratings = value === undefined ? [] : [loss(value)];
  return { sequence, lineage: 'a', path: `c${sequence}`, ratings, ...changes };
}

describe('ranking', () => {
  test('has the best first, of equal ones the older, and nothing that is not finite or of another metric', () => {
    const other: Rating = { ...loss(0), mode: 'max' };
    const entries = [
      entry(1, 0.5),
      entry(2, 0.3),
      entry(3, 0.3),
      entry(4, Number.NaN),
      entry(5),
      entry(6, 0, { ratings: [other] }),
    ];
    expect(ranked(entries, RULES).map(({ sequence }) => sequence)).toEqual([2, 3, 1]);
  });

  test('takes a value among the best when it beats the worst of them, or there is room', () => {
    const full = [entry(1, 0.5), entry(2, 0.3)];
    expect(isAmongBest([loss(0.4)], full, RULES)).toBe(true);
    expect(isAmongBest([loss(0.5)], full, RULES)).toBe(false);
    expect(isAmongBest([loss(9)], full.slice(1), RULES)).toBe(true);
    expect(isAmongBest([loss(9)], full, { ...RULES, saveTopK: -1 })).toBe(true);
    expect(isAmongBest([loss(0)], [], { ...RULES, saveTopK: 0 })).toBe(false);
  });

  test('never takes NaN or infinity, in either mode', () => {
    for (const value of [Number.NaN, Infinity, -Infinity]) {
      expect(isAmongBest([loss(value)], [], RULES)).toBe(false);
      expect(isAmongBest([{ ...loss(value), mode: 'max' }], [], { ...RULES, mode: 'max' })).toBe(false);
    }
  });
});

describe('rotation', () => {
  const rotate = (entries: Rotatable[], changes: Partial<RotationRules> = {}) =>
    expendable(entries, { monitors: [RULES], lineage: 'a', keep: [], ...changes }).map(({ path }) => path);
  const top = (saveTopK: number) => ({ monitors: [{ ...RULES, saveTopK }] });

  test('keeps the best and the newest', () => {
    const entries = [entry(1, 0.1), entry(2, 0.5), entry(3, 0.2), entry(4, 0.4), entry(5, 0.9)];
    expect(rotate(entries)).toEqual(['c2', 'c4']);
  });

  test('keeps what was resumed from and what a pointer names', () => {
    const entries = [entry(1, 0.1), entry(2, 0.5), entry(3, 0.2), entry(4, 0.4), entry(5, 0.9)];
    expect(rotate(entries, { keep: ['c2', undefined] })).toEqual(['c4']);
  });

  test('never touches what another run saved, or what was ranked by another metric', () => {
    const entries = [
      entry(1, 9, { lineage: 'b' }),
      entry(2, 0, { ratings: [accuracy(0.1)] }),
      entry(3, 1),
      entry(4, 2),
      entry(5, 3),
      entry(6, 4),
    ];
    expect(rotate(entries)).toEqual(['c5']);
  });

  test('keeps the newest ones where there is nothing to rank by', () => {
    expect(rotate([entry(1), entry(2), entry(3, 1), entry(4)])).toEqual(['c1', 'c2']);
    expect(rotate([entry(1), entry(2), entry(3), entry(4)])).toEqual(['c1', 'c2']);
    expect(rotate([entry(1), entry(2), entry(3), entry(4)], top(0))).toEqual(['c1', 'c2', 'c3']);
  });

  test('keeps everything with saveTopK -1', () => {
    expect(rotate([entry(1, 1), entry(2, 2), entry(3, 3), entry(4)], top(-1))).toEqual([]);
  });

  test('never leaves a run with nothing, whatever the numbers', () => {
    for (let count = 1; count < 6; count++) {
      for (let saveTopK = 0; saveTopK < 4; saveTopK++) {
        const entries = Array.from({ length: count }, (_, index) =>
          entry(index + 1, index % 2 ? index : undefined),
        );
        expect(rotate(entries, top(saveTopK)).length).toBeLessThan(count);
      }
    }
  });

  const BOTH: readonly RankingRule[] = [
    { ...RULES, saveTopK: 1 },
    { monitor: 'val/accuracy', mode: 'max', saveTopK: 1 },
  ];
  const both = (sequence: number, lossOf: number, accuracyOf: number) =>
    entry(sequence, undefined, { ratings: [loss(lossOf), accuracy(accuracyOf)] });

  test('with two metrics keeps the best by either, although the other would let it go', () => {
    const entries = [both(1, 0.1, 0.2), both(2, 0.9, 0.9), both(3, 0.2, 0.8), both(4, 0.5, 0.5)];
    expect(rotate(entries, { monitors: BOTH })).toEqual(['c3']);
    expect(rotate([...entries].reverse(), { monitors: [...BOTH].reverse() })).toEqual(['c3']);
  });

  test('keeps what only one of two metrics was known for', () => {
    const entries = [entry(1, 0.1), entry(2, 0.3, { ratings: [accuracy(0.4)] }), both(3, 0.5, 0.1), entry(4)];
    expect(rotate(entries, { monitors: BOTH })).toEqual(['c3']);
  });

  test('never removes what any of the metrics has among its best, whatever the values', () => {
    for (let round = 0; round < 200; round++) {
      const values = numbers(16, round + 1);
      const entries = values.slice(0, 8).map((value, index) => both(index + 1, value, values[index + 8]!));
      const gone = rotate(entries, { monitors: BOTH });
      const best = BOTH.map((rule) => ranked(entries, rule)[0]!.path);
      expect(gone.filter((path) => [...best, 'c8'].includes(path))).toEqual([]);
      expect(entries.length - gone.length).toBe(new Set([...best, 'c8']).size);
    }
  });
});
