import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { broadcastPlan } from '../src/shapes/broadcast-plan.js';
import { reducePlan } from '../src/shapes/reduce-plan.js';
import { stridesOf } from '../src/shapes/strided-copy.js';
import { LINE_FLOATS, ranges, shares } from '../src/threads/split.js';

/** Which elements of both operands meet in each element of the result, by the plan. */
function meetings(a: number[], b: number[]): [number, number][] {
  const { shape, parts, steps } = broadcastPlan(a, b);
  const [n0, n1, n2, a0, a1, a2, b0, b1, b2] = steps;
  const met: [number, number][] = new Array(tf.util.sizeFromShape(shape));
  for (const part of parts) {
    for (let i = 0; i < n0; i++)
      for (let j = 0; j < n1; j++)
        for (let k = 0; k < n2; k++)
          met[part.out + (i * n1 + j) * n2 + k] = [
            part.a + i * a0 + j * a1 + k * a2,
            part.b + i * b0 + j * b1 + k * b2,
          ];
  }
  return met;
}

/** The same, index by index. */
function obvious(a: number[], b: number[]): [number, number][] {
  const shape = tf.broadcast_util.assertAndGetBroadcastShape(a, b);
  const place = (own: number[], index: readonly number[]) =>
    stridesOf(own).reduce((sum, stride, axis) => {
      const at = index[axis + shape.length - own.length]!;
      return sum + (own[axis] === 1 ? 0 : at * stride);
    }, 0);
  return Array.from({ length: tf.util.sizeFromShape(shape) }, (_, i) => {
    const index = stridesOf(shape).map((stride, axis) => Math.floor(i / stride) % shape[axis]!);
    return [place(a, index), place(b, index)];
  });
}

const PAIRS: readonly [number[], number[]][] = [
  [[], []],
  [[], [4]],
  [[3], [3]],
  [[3, 4], [4]],
  [
    [3, 4],
    [3, 1],
  ],
  [
    [3, 1],
    [1, 4],
  ],
  [
    [2, 3, 4],
    [2, 1, 4],
  ],
  [
    [2, 1, 3, 1, 2],
    [1, 4, 1, 5, 2],
  ],
  [
    [2, 1, 3, 1, 2, 1],
    [1, 4, 1, 5, 1, 3],
  ],
  [
    [1, 1, 1],
    [1, 1],
  ],
  [[5, 1, 1], [7]],
];

describe('a plan for two shapes that broadcast', () => {
  it.each(PAIRS)('lets the right elements of [%j] and [%j] meet, in both orders', (a, b) => {
    expect(meetings(a, b)).toEqual(obvious(a, b));
    expect(meetings(b, a)).toEqual(obvious(b, a));
  });

  it('has one part for the shapes that models have', () => {
    for (const [a, b] of [
      [[32, 10], [10]],
      [
        [8, 28, 28, 16],
        [1, 1, 1, 16],
      ],
      [
        [8, 32, 64],
        [8, 32, 1],
      ],
    ] as const)
      expect(broadcastPlan([...a], [...b]).parts).toHaveLength(1);
  });

  it('refuses shapes that do not fit', () => {
    expect(() => broadcastPlan([2, 3], [2, 4])).toThrow(/2,3 and 2,4/);
  });
});

describe('a plan for a reduction', () => {
  it.each([
    [[2, 3, 4], [2], false, [2, 3], 1],
    [[2, 3, 4], [0, 1, 2], false, [], 1],
    [[2, 3, 4], [0, 2], false, [3], 2],
    [[2, 3, 4], [0, 2], true, [1, 3, 1], 2],
    [[2, 3, 4], [-1], true, [2, 3, 1], 1],
    [[2, 1, 4], [1], false, [2, 4], 0],
    [[2, 3], [], false, [2, 3], 0],
    [[2, 3, 4, 5, 6], [0, 2, 4], false, [3, 5], 3],
  ] as [number[], number[], boolean, number[], number][])(
    'of %j over %j, kept: %s, gives %j in %i steps',
    (shape, axes, keepDims, expected, count) => {
      const plan = reducePlan(shape, axes, keepDims);
      expect(plan.shape).toEqual(expected);
      expect(plan.steps).toHaveLength(count);
      // Every step reads what the one before has written.
      let size = tf.util.sizeFromShape(shape);
      for (const { outer, count: reduced, inner } of plan.steps) {
        expect(outer * reduced * inner).toBe(size);
        size = outer * inner;
      }
      expect(size).toBe(tf.util.sizeFromShape(expected));
    },
  );
});

describe('strides', () => {
  it.each([
    [[], []],
    [[5], [1]],
    [
      [2, 3, 4],
      [12, 4, 1],
    ],
    [
      [2, 0, 4],
      [0, 4, 1],
    ],
  ])('of %j are %j', (shape, expected) => {
    expect(stridesOf(shape)).toEqual(expected);
  });
});

describe('work that is shared out among threads', () => {
  const SIZES = [0, 1, 2, 3, 7, 16, 17, 100, 1001];

  it.each([1, 2, 3, 4, 7, 16])('covers everything once, with %i threads', (threads) => {
    for (const total of SIZES) {
      for (const grain of [1, 4, LINE_FLOATS]) {
        for (const parts of [ranges(total, threads, grain), shares(total, threads, grain)]) {
          let next = 0;
          for (const { first, count } of parts) {
            expect(first).toBe(next);
            expect(count).toBeGreaterThan(0);
            next += count;
          }
          expect(next).toBe(total);
        }
      }
    }
  });

  it.each([1, 2, 3, 4, 7, 16])('has no more parts than there is room for, with %i threads', (threads) => {
    for (const total of SIZES) {
      expect(ranges(total, threads, 1).length).toBeLessThanOrEqual(threads);
      expect(shares(total, threads).length).toBeLessThanOrEqual(threads * 2);
    }
  });

  it('comes in whole grains, but for the last part', () => {
    for (const total of SIZES) {
      const parts = ranges(total, 3, LINE_FLOATS);
      for (const { count } of parts.slice(0, -1)) expect(count % LINE_FLOATS).toBe(0);
    }
  });

  it('leaves no thread idle at the end', () => {
    for (const threads of [2, 3, 4])
      for (const total of [8, 24, 96]) expect(shares(total, threads).length % threads).toBe(0);
  });
});
