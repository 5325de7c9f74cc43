import { expect, test } from 'vitest';
import { editDistance } from '../src/helpers.js';
import { didYouMean, nearest } from '../src/index.js';

test.each([
  ['patiance', ['monitor', 'patience', 'mode'], 'patience'],
  ['pateince', ['monitor', 'patience', 'mode'], 'patience'],
  ['PATIENCE', ['monitor', 'patience', 'mode'], 'patience'],
  ['min_delta', ['minDelta', 'mode'], 'minDelta'],
  ['dri', ['dir', 'every'], 'dir'],
  ['early-stoping', ['early-stopping', 'checkpoint'], 'early-stopping'],
])('%s: of %o, %s is meant', (name, candidates, expected) => {
  expect(nearest(name, candidates)).toBe(expected);
});

test.each([
  ['wandb', ['monitor', 'patience', 'mode']],
  ['x', ['lr', 'a']],
  ['ab', ['cd']],
  ['', ['mode']],
  ['mode', []],
])('%s: nothing in %o is like it', (name, candidates) => {
  expect(nearest(name, candidates)).toBeUndefined();
});

test('the closest of several wins, and the first of equally close ones', () => {
  expect(nearest('onTrainEn', ['onTestEnd', 'onTrainEnd', 'onTrainBatchEnd'])).toBe('onTrainEnd');
  expect(nearest('cat', ['bat', 'hat'])).toBe('bat');
});

test('didYouMean is a sentence to append, or nothing', () => {
  expect(didYouMean('mod', ['mode'])).toBe(' Did you mean "mode"?');
  expect(didYouMean('zzz', ['mode'])).toBe('');
});

test('the edit distance is how many letters must be added, left out or replaced', () => {
  const pairs = [
    ['kitten', 'sitting', 3],
    ['', 'abc', 3],
    ['abc', '', 3],
    ['same', 'same', 0],
    ['Case', 'case', 1],
    ['flaw', 'lawn', 2],
  ] as const;
  for (const [a, b, distance] of pairs) {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  }
});
