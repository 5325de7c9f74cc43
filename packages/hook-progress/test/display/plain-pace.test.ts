import { expect, test } from 'vitest';
import { isPlainLineDue, type PacePoint } from '../../src/display/plain-pace.js';

/** The batches at which lines are printed when each takes `batchMs`. */
function linesOfEpoch(batches: number, batchMs: number, total: number | undefined): PacePoint[] {
  const lines: PacePoint[] = [];
  let last: PacePoint = { done: 0, milliseconds: 0 };
  for (let done = 1; done <= batches; done++) {
    const now = { done, milliseconds: done * batchMs };
    if (!isPlainLineDue(now, last, total)) continue;
    lines.push(now);
    last = now;
  }
  return lines;
}

test('a long epoch has a line for each tenth, and leaves the end to the line of the epoch', () => {
  expect(linesOfEpoch(1000, 100, 1000).map(({ done }) => done)).toEqual([
    100, 200, 300, 400, 500, 600, 700, 800, 900,
  ]);
});

test('lines are at least a second apart', () => {
  expect(linesOfEpoch(1000, 0.5, 1000)).toEqual([]);
  expect(linesOfEpoch(1000, 3, 1000).map(({ done }) => done)).toEqual([334, 668]);
});

test('slow batches have at most a line each', () => {
  expect(linesOfEpoch(5, 60_000, 5).map(({ done }) => done)).toEqual([1, 2, 3, 4]);
});

test('without a known total there is a line every ten seconds', () => {
  expect(linesOfEpoch(300, 100, undefined).map(({ done }) => done)).toEqual([100, 200, 300]);
});
