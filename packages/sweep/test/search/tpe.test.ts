import { deriveSeed, RandomGenerator } from '@hookline/numerics';
import { expect, test } from 'vitest';
import { ParzenEstimate } from '../../src/search/parzen-estimate.js';
import { tpePoint } from '../../src/search/tpe.js';
import {
  choice,
  integer,
  logUniform,
  type Point,
  randomPoint,
  type SearchSpace,
  uniform,
} from '../../src/space.js';

const space: SearchSpace = {
  lr: logUniform(1e-5, 1),
  drop: uniform(0, 1),
  units: integer(1, 64),
  kind: choice('a', 'b', 'c', 'd'),
};

/** 0 at its best: lr 1e-2, drop 0.3, 20 units, kind c. */
function lossOf({ lr, drop, units, kind }: Point): number {
  return (
    (Math.log10(lr as number) + 2) ** 2 +
    10 * ((drop as number) - 0.3) ** 2 +
    (((units as number) - 20) / 16) ** 2 +
    (kind === 'c' ? 0 : 1)
  );
}

function bestOf(search: 'tpe' | 'random', seed: number, trials: number): number {
  const tried: Point[] = [];
  for (let trial = 0; trial < trials; trial++) {
    const random = new RandomGenerator(deriveSeed(seed, trial));
    const ranked = [...tried].sort((a, b) => lossOf(a) - lossOf(b));
    tried.push(search === 'tpe' ? tpePoint(space, ranked, random) : randomPoint(space, random));
  }
  return Math.min(...tried.map(lossOf));
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const seeds = Array.from({ length: 11 }, (_, seed) => seed);

test('after 60 trials it has come much closer to the best point than random search', () => {
  const tpe = median(seeds.map((seed) => bestOf('tpe', seed, 60)));
  const random = median(seeds.map((seed) => bestOf('random', seed, 60)));
  expect(tpe).toBeLessThan(random / 2);
});

test('the first ten trials are random: there is nothing to learn from yet', () => {
  expect(bestOf('tpe', 5, 10)).toBe(bestOf('random', 5, 10));
});

test('the same trials and seed give the same point, and every point is in the space', () => {
  const ranked = Array.from({ length: 40 }, (_, i) => randomPoint(space, new RandomGenerator(i)));
  for (const seed of seeds) {
    const point = tpePoint(space, ranked, new RandomGenerator(seed));
    expect(point).toEqual(tpePoint(space, ranked, new RandomGenerator(seed)));
    expect(point.lr).toBeGreaterThanOrEqual(1e-5);
    expect(point.lr).toBeLessThanOrEqual(1);
    expect(Number.isInteger(point.units)).toBe(true);
    expect(['a', 'b', 'c', 'd']).toContain(point.kind);
  }
});

test('the density is one: its integral over the interval is 1, also with values at the bounds', () => {
  for (const values of [[], [0], [0, 10], [4.9, 5, 5.1], [10, 10, 10]]) {
    const estimate = new ParzenEstimate(values, { low: 0, high: 10 });
    let integral = 0;
    for (let x = 0.0005; x < 10; x += 0.001) integral += Math.exp(estimate.logDensity(x)) * 0.001;
    expect(integral / Math.sqrt(2 * Math.PI)).toBeCloseTo(1, 4);
  }
});

test('draws follow the density', () => {
  const estimate = new ParzenEstimate([2, 2.1, 2.2, 9], { low: 0, high: 10 });
  const random = new RandomGenerator(3);
  const draws = Array.from({ length: 20_000 }, () => estimate.draw(random));
  for (const [from, to] of [
    [0, 2],
    [2, 3],
    [3, 8],
    [8, 10],
  ] as const) {
    let expected = 0;
    for (let x = from + 0.005; x < to; x += 0.01) expected += Math.exp(estimate.logDensity(x)) * 0.01;
    const share = draws.filter((draw) => draw >= from && draw < to).length / draws.length;
    expect(share).toBeCloseTo(expected / Math.sqrt(2 * Math.PI), 1);
  }
});

test('a choice that is always among the best is drawn far more often, and the others still are', () => {
  const only = { kind: choice('a', 'b', 'c', 'd') };
  const ranked = [...Array(4).fill({ kind: 'b' }), ...Array(36).fill({ kind: 'a' })] as Point[];
  const drawn = Array.from({ length: 60 }, (_, i) => tpePoint(only, ranked, new RandomGenerator(i)).kind);
  expect(drawn.filter((kind) => kind === 'b').length).toBeGreaterThan(50);
  const open = Array.from({ length: 12 }, (_, i) => ({ kind: 'abcd'[i % 4]! }));
  const any = Array.from({ length: 200 }, (_, i) => tpePoint(only, open, new RandomGenerator(i)).kind);
  expect(new Set(any).size).toBeGreaterThan(1);
});

test('settings are learned one by one: what is good in one says nothing of the other', () => {
  const two = { x: uniform(0, 1), y: uniform(0, 1) };
  const ranked = Array.from({ length: 40 }, (_, i) => ({ x: i / 40, y: (i * 0.618) % 1 }));
  const points = Array.from({ length: 40 }, (_, i) => tpePoint(two, ranked, new RandomGenerator(i)));
  const mean = (name: 'x' | 'y') => points.reduce((sum, point) => sum + (point[name] as number), 0) / 40;
  expect(mean('x')).toBeLessThan(0.25);
  expect(mean('y')).toBeGreaterThan(0.25);
});

test('a range keeps its bounds and its kind, also when the best points lie on a bound', () => {
  const edge = { units: integer(1, 4), lr: logUniform(1e-3, 1e-1) };
  const ranked = Array.from({ length: 30 }, (_, i) =>
    i < 5 ? { units: 4, lr: 1e-1 } : { units: 1, lr: 1e-3 },
  );
  for (let seed = 0; seed < 50; seed++) {
    const { units, lr } = tpePoint(edge, ranked, new RandomGenerator(seed)) as { units: number; lr: number };
    expect([1, 2, 3, 4]).toContain(units);
    expect(lr).toBeGreaterThanOrEqual(1e-3);
    expect(lr).toBeLessThanOrEqual(1e-1);
  }
});

test('the density is highest where the values are', () => {
  const estimate = new ParzenEstimate([2, 2.1, 1.9], { low: 0, high: 10 });
  const at = (value: number) => estimate.logDensity(value);
  expect(at(2)).toBeGreaterThan(at(4));
  expect(at(4)).toBeGreaterThan(at(9));
  expect(Number.isFinite(at(9))).toBe(true);
});
