import { expect, test } from 'vitest';
import { consoleLog } from '../../src/index.js';
import { metricFilter } from '../../src/session/metric-filter.js';

const metrics = { 'train/loss': 1, 'val/loss': 2, 'val/a/loss': 3, 'grad/norm': 4 };
const kept = (filter?: string | string[]) => Object.keys(metricFilter(filter)(metrics));

test('without a filter every metric is kept', () => {
  expect(kept()).toEqual(Object.keys(metrics));
});

test('names and globs keep what they match, and nothing else', () => {
  expect(kept('val/loss')).toEqual(['val/loss']);
  expect(kept('val/*')).toEqual(['val/loss', 'val/a/loss']);
  expect(kept(['*/loss', 'grad/norm'])).toEqual(Object.keys(metrics));
  expect(kept('loss')).toEqual([]);
  expect(kept([])).toEqual([]);
});

test('only the star is special', () => {
  expect(kept('val.loss')).toEqual([]);
  expect(kept('(val|train)/loss')).toEqual([]);
});

test('a filter that is not text is refused', () => {
  expect(() => consoleLog({ metrics: [1] as never })).toThrow(/"metrics" must be a name or glob/);
});
