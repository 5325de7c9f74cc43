import type { JsonValue } from '@hookline/hook-api';
import type { RandomGenerator } from '@hookline/numerics';
import {
  bounds,
  type Choice,
  fromScale,
  type Point,
  type Range,
  randomPoint,
  type SearchSpace,
  toScale,
} from '../space.js';
import { ParzenEstimate } from './parzen-estimate.js';

/** Trials drawn at random before there is anything to learn from. */
const START_UP = 10;
const CANDIDATES = 24;

/**
 * A point that is likely to be among the best, by the tree-structured Parzen estimator of Bergstra et al. (2011): draws
 * candidates where good points are dense, and takes the one where good points are densest relative to the others.
 * `ranked` holds the points tried so far, the best first.
 */
export function tpePoint(space: SearchSpace, ranked: readonly Point[], random: RandomGenerator): Point {
  if (ranked.length < START_UP) return randomPoint(space, random);
  const cut = Math.min(25, Math.ceil(ranked.length / 10));
  const good = ranked.slice(0, cut);
  const others = ranked.slice(cut);
  return Object.fromEntries(
    Object.entries(space).map(([name, dimension]) => {
      const near = (points: readonly Point[]) => points.map((point) => point[name]!);
      return [
        name,
        dimension.kind === 'choice'
          ? bestChoice(dimension, near(good), near(others), random)
          : bestNumber(dimension, near(good) as number[], near(others) as number[], random),
      ];
    }),
  );
}

function bestNumber(
  range: Range,
  good: readonly number[],
  others: readonly number[],
  random: RandomGenerator,
): number {
  const scale = bounds(range);
  const estimate = (values: readonly number[]) =>
    new ParzenEstimate(
      values.map((each) => toScale(range, each)),
      scale,
    );
  const [likely, unlikely] = [estimate(good), estimate(others)];
  const candidates = Array.from({ length: CANDIDATES }, () => likely.draw(random));
  return fromScale(
    range,
    best(candidates, (each) => likely.logDensity(each) - unlikely.logDensity(each)),
  );
}

function bestChoice(
  { values }: Choice,
  good: readonly JsonValue[],
  others: readonly JsonValue[],
  random: RandomGenerator,
): JsonValue {
  const keys = values.map((value) => JSON.stringify(value));
  // One more of each than was seen: what was never tried stays possible.
  const shares = (seen: readonly JsonValue[]) => {
    const texts = seen.map((value) => JSON.stringify(value));
    return keys.map((key) => (1 + texts.filter((text) => text === key).length) / (keys.length + seen.length));
  };
  const [likely, unlikely] = [shares(good), shares(others)];
  const candidates = Array.from({ length: CANDIDATES }, () => drawIndex(likely, random));
  return values[best(candidates, (index) => likely[index]! / unlikely[index]!)]!;
}

function drawIndex(shares: readonly number[], random: RandomGenerator): number {
  let left = random.next();
  for (const [index, share] of shares.entries()) {
    left -= share;
    if (left < 0) return index;
  }
  return shares.length - 1;
}

function best(candidates: readonly number[], scoreOf: (candidate: number) => number): number {
  let [winner, highest] = [candidates[0]!, -Infinity];
  for (const candidate of candidates) {
    const score = scoreOf(candidate);
    if (score > highest) [winner, highest] = [candidate, score];
  }
  return winner;
}
