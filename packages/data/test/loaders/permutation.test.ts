import { deriveSeed } from '@hookline/numerics';
import { expect, test } from 'vitest';
import { permutation } from '../../src/loaders/permutation.js';

function orderOf(count: number, seed: number): number[] {
  const at = permutation(count, seed);
  return Array.from({ length: count }, (_, index) => at(index));
}

test('every number comes once, whatever the count and the seed', () => {
  const counts = [...Array.from({ length: 130 }, (_, index) => index + 1), 255, 256, 257, 1000, 4096, 4097];
  for (const count of counts) {
    for (const seed of [0, 1, 2, 123456789, 2 ** 32 - 1]) {
      const sorted = orderOf(count, seed).sort((a, b) => a - b);
      expect(sorted, `${count} numbers, seed ${seed}`).toEqual(Array.from({ length: count }, (_, i) => i));
    }
  }
});

test('a large count stays within bounds, and no number comes twice', () => {
  const count = 2 ** 31 - 1;
  const at = permutation(count, 5);
  const seen = new Set<number>();
  for (let index = 0; index < 2000; index++) seen.add(at(count - 1 - index * 1_000_003));
  expect(seen.size).toBe(2000);
  for (const value of seen) expect(value >= 0 && value < count && Number.isInteger(value)).toBe(true);
});

test('the same seed gives the same order, another seed another one', () => {
  expect(orderOf(1000, 7)).toEqual(orderOf(1000, 7));
  expect(orderOf(1000, 7)).not.toEqual(orderOf(1000, 8));
});

/** How far counts are from even, in standard deviations of the chi-square distribution. */
function unevenness(counts: readonly number[], total: number): number {
  const expected = total / counts.length;
  const chi = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return (chi - (counts.length - 1)) / Math.sqrt(2 * (counts.length - 1));
}

test('over many epochs every order of a few samples is as frequent as any other', () => {
  for (const [count, orders] of [
    [3, 6],
    [4, 24],
    [5, 120],
  ] as const) {
    const seen = new Map<string, number>();
    const epochs = orders * 200;
    for (let epoch = 0; epoch < epochs; epoch++) {
      const order = String(orderOf(count, deriveSeed(1, epoch)));
      seen.set(order, (seen.get(order) ?? 0) + 1);
    }
    expect(seen.size).toBe(orders);
    expect(unevenness([...seen.values()], epochs)).toBeLessThan(4);
  }
});

test('neighbours are torn apart: where a sample goes says nothing about the next one', () => {
  const [count, epochs] = [100, 10_000];
  const distances = new Array<number>(count - 1).fill(0);
  const places = new Array<number>(count).fill(0);
  for (let epoch = 0; epoch < epochs; epoch++) {
    const at = permutation(count, deriveSeed(3, epoch));
    const [first, second] = [at(10), at(11)];
    places[first]!++;
    distances[((second - first + count) % count) - 1]!++;
  }
  expect(unevenness(places, epochs)).toBeLessThan(4);
  expect(unevenness(distances, epochs)).toBeLessThan(4);
});
