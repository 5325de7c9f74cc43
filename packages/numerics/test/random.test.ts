import { describe, expect, test } from 'vitest';
import { deriveSeed, RandomGenerator } from '../src/index.js';

const draws = (random: RandomGenerator, count: number) => Array.from({ length: count }, () => random.next());

describe('a random generator', () => {
  test('gives the same numbers for the same seed, and others for another', () => {
    expect(draws(new RandomGenerator(1), 5)).toEqual(draws(new RandomGenerator(1), 5));
    expect(draws(new RandomGenerator(1), 5)).not.toEqual(draws(new RandomGenerator(2), 5));
  });

  test('distinguishes seeds beyond 32 bits', () => {
    expect(draws(new RandomGenerator(5), 3)).not.toEqual(draws(new RandomGenerator(5 + 2 ** 32), 3));
  });

  test('continues from a saved state, through JSON, with the very next number', () => {
    const random = new RandomGenerator(3);
    draws(random, 10);
    const saved = JSON.parse(JSON.stringify(random.save()));
    const expected = draws(random, 10);
    const resumed = new RandomGenerator(99);
    resumed.load(saved);
    expect(draws(resumed, 10)).toEqual(expected);
  });

  test('draws from 0 up to 1, evenly, also for seeds that are close to each other', () => {
    const counts = new Array<number>(10).fill(0);
    for (let seed = 0; seed < 1000; seed++) {
      for (const number of draws(new RandomGenerator(seed), 10)) {
        expect(number).toBeGreaterThanOrEqual(0);
        expect(number).toBeLessThan(1);
        counts[Math.floor(number * 10)]!++;
      }
    }
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  test('uses all 53 bits of a number', () => {
    const low = draws(new RandomGenerator(1), 200).map((number) => (number * 2 ** 53) % 2);
    expect(new Set(low)).toEqual(new Set([0, 1]));
  });
});

describe('a derived seed', () => {
  test('follows from the seed and the keys', () => {
    expect(deriveSeed(1, 'order', 3)).toBe(deriveSeed(1, 'order', 3));
    const others = [deriveSeed(1, 'order', 3), deriveSeed(2, 'order', 3), deriveSeed(1, 'order', 4)];
    expect(new Set([...others, deriveSeed(1, 'mix', 3), deriveSeed(1, 3, 'order')]).size).toBe(5);
  });

  test('tells text apart however it is split', () => {
    expect(deriveSeed(1, 'ab', 'c')).not.toBe(deriveSeed(1, 'a', 'bc'));
    expect(deriveSeed(1, '')).not.toBe(deriveSeed(1));
  });

  test('is a whole number of 32 bits, and spreads close keys', () => {
    const seeds = Array.from({ length: 1000 }, (_, epoch) => deriveSeed(7, epoch));
    for (const seed of seeds) expect(seed).toBe(seed >>> 0);
    expect(new Set(seeds).size).toBe(1000);
    const high = seeds.filter((seed) => seed >= 2 ** 31).length;
    expect(Math.abs(high - 500)).toBeLessThan(80);
  });
});
