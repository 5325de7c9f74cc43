import { expect, test } from 'vitest';
import { seeded } from '../src/index.js';

test('a seed gives the same numbers each time, another seed gives others, and they spread from 0 to 1', () => {
  const draw = (seed: number) => {
    const random = seeded(seed);
    return Array.from({ length: 1000 }, random);
  };
  expect(draw(7)).toEqual(draw(7));
  expect(draw(8)).not.toEqual(draw(7));
  const tenths = new Set(draw(7).map((value) => Math.floor(value * 10)));
  expect([...tenths].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});
