import { expect, test } from 'vitest';
import { Histograms } from '../src/histograms.js';

const line = (name: unknown, more = {}) => ({
  event: 'histogram',
  name,
  edges: [0, 1, 2],
  counts: [1, 2],
  ...more,
});

test('numbers that are not finite are read from their names, and anything else is NaN', () => {
  const histograms = new Histograms();
  histograms.add(line('w', { edges: ['-Infinity', 0, 'x'], counts: [1, null] }), 3);
  expect(histograms.byName.get('w')).toEqual([{ step: 3, edges: [-Infinity, 0, NaN], counts: [1, NaN] }]);
});

test('what comes after a step is forgotten, by name', () => {
  const histograms = new Histograms();
  for (let step = 1; step <= 4; step++) histograms.add(line('a'), step);
  histograms.add(line('b'), 4);
  histograms.cutAfter(2);
  expect(histograms.byName.get('a')!.map(({ step }) => step)).toEqual([1, 2]);
  expect(histograms.byName.get('b')).toEqual([]);
});

test('at most a thousand names are kept, and those that are there continue', () => {
  const histograms = new Histograms();
  for (let at = 0; at < 1_100; at++) histograms.add(line(`n${at}`), 1);
  expect(histograms.byName.size).toBe(1_000);
  histograms.add(line('n0'), 2);
  expect(histograms.byName.get('n0')).toHaveLength(2);
});

test('each name is thinned by itself', () => {
  const histograms = new Histograms();
  for (let step = 0; step < 500; step++) histograms.add(line('often'), step);
  for (let step = 0; step < 5; step++) histograms.add(line('rarely'), step * 100);
  expect(histograms.byName.get('often')!.length).toBeLessThan(128);
  expect(histograms.byName.get('rarely')!.map(({ step }) => step)).toEqual([0, 100, 200, 300, 400]);
});
