import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { floatValues, histogramOf, hostValues, samplePositions } from '../src/index.js';

describe('the values of a tensor', () => {
  it('are given as they are', () => {
    expect([...hostValues(tf.tensor1d([1, 2, 3]))!]).toEqual([1, 2, 3]);
    expect([...floatValues(tf.tensor1d([1, 0], 'int32'))]).toEqual([1, 0]);
  });

  it('are looked at one in each of 4,096 equal stretches, at the same places every time', () => {
    const positionsOf = samplePositions();
    expect(positionsOf(4096)).toBeUndefined();
    for (const size of [4097, 200_704]) {
      const positions = [...positionsOf(size)!];
      const stretch = size / 4096;
      expect(positions.every((at, i) => at >= Math.floor(i * stretch) && at < (i + 1) * stretch)).toBe(true);
      expect(positions).toEqual([...samplePositions()(size)!]);
    }
  });

  it('fall into buckets of equal width, each value into one', () => {
    const values = Float32Array.from({ length: 100 }, (_, i) => i / 10);
    const { min, max, num, sum, counts, edges } = histogramOf(values);
    expect([min, max, num, counts.length, edges.length]).toEqual([0, values[99], 100, 30, 31]);
    expect(counts.reduce((a, b) => a + b)).toBe(100);
    expect(sum).toBeCloseTo(495, 3);
    counts.forEach((count, i) => {
      const inside = [...values].filter(
        (value) => value >= edges[i]! && (value < edges[i + 1]! || (i === 29 && value === max)),
      );
      expect(Math.abs(count - inside.length)).toBeLessThanOrEqual(1); // rounding at an edge
    });
    expect(histogramOf(Float32Array.of(2, 2, 2)).counts).toEqual([3]);
  });
});
