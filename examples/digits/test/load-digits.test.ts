import { expect, test } from 'vitest';
import { loadDigits } from '../src/load-digits.js';
import type { Images } from '../src/split-digits.js';

const { train, validation, test: unseen } = loadDigits();

test('every image is in one of the three parts, and in one only', () => {
  const images = [train, validation, unseen].flatMap(imagesOf);

  expect([train, validation, unseen].map(({ ys }) => ys.length)).toEqual([1283, 257, 257]);
  expect(new Set(images).size).toBe(1797);
});

test('pixels go from 0 to 1, and every part has all ten digits', () => {
  for (const { xs, ys } of [train, validation, unseen]) {
    expect([Math.min(...xs), Math.max(...xs)]).toEqual([0, 1]);
    expect([...new Set(ys)].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  }
});

test('the same image is in the same place every time', () => {
  expect(loadDigits().test).toEqual(unseen);
});

function imagesOf({ xs, ys }: Images): string[] {
  return Array.from(ys, (_, index) => xs.slice(index * 64, (index + 1) * 64).join());
}
