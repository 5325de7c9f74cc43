import { expect, test } from 'vitest';
import { type Histogram, histogramsKey, histogramsSince, leaveHistograms } from '../src/helpers.js';
import { type SharedKey, type SharedMap, sharedKey } from '../src/index.js';

const histogram = (step: number): Histogram => ({
  ...{ name: 'grad/histogram/dense/kernel', step, min: 0, max: 1, num: 3, sum: 1, sumSquares: 1 },
  ...{ edges: [0, 0.5, 1], counts: [2, 1] },
});
const steps = (items: readonly Histogram[]): number[] => items.map(({ step }) => step);

test('every logger reads every histogram once, whatever others have read', () => {
  const shared = sharedMap();
  leaveHistograms(shared, [histogram(1), histogram(2)]);
  const early = histogramsSince(shared, 0);
  leaveHistograms(shared, [histogram(3)]);
  expect(steps(early.items)).toEqual([1, 2]);
  expect(steps(histogramsSince(shared, early.next).items)).toEqual([3]);
  expect(steps(histogramsSince(shared, 0).items)).toEqual([1, 2, 3]);
  expect(histogramsSince(shared, 3)).toEqual({ next: 3, items: [] });
});

test('histograms of several hooks share one list, in the order in which they were left', () => {
  const shared = sharedMap();
  leaveHistograms(shared, [histogram(1)]);
  // A package with its own copy of hook-api knows the key by its name.
  const list = shared.get(sharedKey<{ next: number; items: Histogram[] }>('hookline.histograms'))!;
  shared.set(histogramsKey, { next: list.next + 1, items: [...list.items, histogram(2)] });
  leaveHistograms(shared, [histogram(3)]);
  expect(steps(histogramsSince(shared, 0).items)).toEqual([1, 2, 3]);
});

test('the newest 1,000 are kept, and a logger that comes late misses the others without reading one twice', () => {
  const shared = sharedMap();
  for (let step = 0; step < 1500; step++) leaveHistograms(shared, [histogram(step)]);
  const { next, items } = histogramsSince(shared, 100);
  expect(items).toHaveLength(1000);
  expect([items[0]!.step, items.at(-1)!.step, next]).toEqual([500, 1499, 1500]);
  expect(steps(histogramsSince(shared, 1498).items)).toEqual([1498, 1499]);
});

test('where nobody leaves histograms there is nothing to read, and no list is made for none', () => {
  const shared = sharedMap();
  expect(histogramsSince(shared, 0)).toEqual({ next: 0, items: [] });
  leaveHistograms(shared, []);
  expect(shared.has(histogramsKey)).toBe(false);
});

test('what a logger was given stays as it was when more is left', () => {
  const shared = sharedMap();
  leaveHistograms(shared, [histogram(1)]);
  const { items } = histogramsSince(shared, 0);
  leaveHistograms(shared, [histogram(2)]);
  expect(steps(items)).toEqual([1]);
});

function sharedMap(): SharedMap {
  const values = new Map<string, unknown>();
  return {
    get: <Value>({ name }: SharedKey<Value>) => values.get(name) as Value | undefined,
    set: ({ name }, value) => void values.set(name, value),
    has: ({ name }) => values.has(name),
    delete: ({ name }) => values.delete(name),
  };
}
