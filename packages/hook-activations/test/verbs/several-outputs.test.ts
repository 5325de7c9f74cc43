import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { ablate, patch, type run, runWithCache, steer } from '../../src/index.js';
import { SEQUENCE } from '../managed.js';
import { mixed, numbers } from '../models.js';

describe('on the cell of an LSTM, which has an output and two states', () => {
  /** Output and states of one step, with a tap in place. */
  const step = (taps: Parameters<typeof run>[2] = {}, call = 0): number[][] => {
    const { cache, dispose } = runWithCache(mixed(), SEQUENCE, 'lstm/cell', taps);
    const found = cache.outputs('lstm/cell', call).map(numbers);
    dispose();
    return found;
  };
  const zeros = Array(6).fill(0);

  test('ablate takes away all of them, at every step', () => {
    for (const call of [0, 3])
      expect(step({ taps: [ablate('lstm/cell')] }, call)).toEqual([zeros, zeros, zeros]);
  });

  test('noise differs from step to step, and is the same in the next run', () => {
    const noise = (call: number) => step({ taps: [ablate('lstm/cell', 'noise')] }, call)[0]!;
    const unit = (values: number[]) => {
      const mean = values.reduce((a, b) => a + b) / values.length;
      return values.map((value) => Math.sign(value - mean));
    };
    expect(noise(1)).toEqual(noise(1));
    expect(unit(noise(1))).not.toEqual(unit(noise(0)));
  });

  test('steer moves the output and leaves the states', () => {
    const [output, ...states] = step();
    const [steered, ...others] = step({ taps: [steer('lstm/cell', [1, 1, 1])] });
    steered!.forEach((value, i) => void expect(value).toBeCloseTo(output![i]! + 1, 6));
    expect(others).toEqual(states);
  });

  test('patch at one unit puts that unit of each in place', () => {
    const clean = runWithCache(mixed(), tf.neg(SEQUENCE), 'lstm/cell');
    const plain = step();
    const patched = step({ taps: [patch(clean.cache, 'lstm/cell', { at: { axis: 1, index: 2 } })] });
    const wanted = clean.cache.outputs('lstm/cell', 0).map(numbers);
    patched.forEach((values, k) => {
      expect(values).toEqual(plain[k]!.map((value, i) => (i % 3 === 2 ? wanted[k]![i] : value)));
    });
    clean.dispose();
  });
});
