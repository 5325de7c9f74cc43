import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import '../../../src/backends/select-backend.js';
import { type BatchLosses, batchLoss } from '../../../src/objective/losses/batch-loss.js';
import { LOSSES, type LossName } from '../../../src/objective/losses/losses.js';

beforeAll(async () => {
  await tf.setBackend('cpu');
});

const value = (compute: () => tf.Tensor | BatchLosses): number =>
  tf.tidy(() => {
    const made = compute();
    return ('total' in made ? made.total : made).dataSync()[0]!;
  });

describe('losses by name give what their formulas say', () => {
  const y = [0.2, 1.5, -0.7];
  const p = [0.9, 1.1, 2.3];
  const mean = (each: (y: number, p: number) => number) =>
    y.reduce((sum, target, index) => sum + each(target, p[index]!), 0) / y.length;
  const expected: Partial<Record<LossName, number>> = {
    meanAbsolutePercentageError: mean((t, o) => (100 * Math.abs(t - o)) / Math.abs(t)),
    logcosh: mean((t, o) => Math.log(Math.cosh(o - t))),
    poisson: mean((t, o) => o - t * Math.log(o + 1e-7)),
    huber: mean((t, o) => (Math.abs(o - t) <= 1 ? 0.5 * (o - t) ** 2 : Math.abs(o - t) - 0.5)),
    hinge: mean((t, o) => Math.max(0, 1 - t * o)),
    squaredHinge: mean((t, o) => Math.max(0, 1 - t * o) ** 2),
    sigmoidCrossentropy: mean((t, o) => Math.log(1 + Math.exp(o)) - t * o),
  };
  test.each(Object.entries(expected))('%s', (name, number) => {
    const loss = LOSSES[name as LossName];
    const got = value(() => tf.mean(loss(tf.tensor2d(y, [3, 1]), tf.tensor2d(p, [3, 1]))));
    expect(got / number!).toBeCloseTo(1, 5);
  });

  test('meanSquaredLogarithmicError, for values that are not negative', () => {
    const got = value(() =>
      tf.mean(LOSSES.meanSquaredLogarithmicError(tf.tensor1d([1, 3]), tf.tensor1d([2, 7]))),
    );
    expect(got).toBeCloseTo(((Math.log(3) - Math.log(2)) ** 2 + (Math.log(8) - Math.log(4)) ** 2) / 2, 5);
  });

  test('cosineProximity is -1 for the same direction and 1 for the opposite one', () => {
    const got = tf.tidy(() => [
      ...LOSSES.cosineProximity(
        tf.tensor2d([
          [1, 2],
          [1, 2],
        ]),
        tf.tensor2d([
          [2, 4],
          [-3, -6],
        ]),
      ).dataSync(),
    ]);
    expect(got[0]).toBeCloseTo(-1, 5);
    expect(got[1]).toBeCloseTo(1, 5);
  });

  test('kullbackLeiblerDivergence and categoricalHinge', () => {
    const t = [0, 1, 0];
    const o = [0.2, 0.5, 0.3];
    const kl = value(() => LOSSES.kullbackLeiblerDivergence(tf.tensor2d([t]), tf.tensor2d([o])));
    expect(kl).toBeCloseTo(Math.log(1 / 0.5), 5);
    expect(value(() => LOSSES.categoricalHinge(tf.tensor2d([t]), tf.tensor2d([o])))).toBeCloseTo(
      0.3 - 0.5 + 1,
      5,
    );
  });
});

describe('what can be set about a loss', () => {
  const outputs = () =>
    tf.tensor2d([
      [0.7, 0.2, 0.1],
      [0.1, 0.6, 0.3],
    ]);
  const log = (p: number) => -Math.log(p);

  test('lossWeights say how much each output counts', () => {
    const loss = batchLoss('meanSquaredError', { lossWeights: { a: 0.5, b: 10 } });
    const got = value(() =>
      loss.of(
        { a: tf.tensor2d([[1]]), b: tf.tensor2d([[2]]) },
        { xs: [], ys: { a: tf.tensor2d([[3]]), b: tf.tensor2d([[3]]) } },
      ),
    );
    expect(got).toBeCloseTo(0.5 * 4 + 10 * 1, 5);
  });

  test('classWeights make a rare class count more, for class numbers and for rows alike', () => {
    const settings = { classWeights: { 1: 4 } };
    const expected = (log(0.7) + 4 * log(0.6)) / 2;
    const sparse = batchLoss('sparseCategoricalCrossentropy', settings);
    const dense = batchLoss('categoricalCrossentropy', settings);
    expect(value(() => sparse.of(outputs(), { xs: [], ys: tf.tensor1d([0, 1], 'int32') }))).toBeCloseTo(
      expected,
      5,
    );
    const rows = () =>
      tf.tensor2d([
        [1, 0, 0],
        [0, 1, 0],
      ]);
    expect(value(() => dense.of(outputs(), { xs: [], ys: rows() }))).toBeCloseTo(expected, 5);
  });

  test('classWeights multiply with sample weights', () => {
    const loss = batchLoss('sparseCategoricalCrossentropy', { classWeights: { 0: 2 } });
    const batch = () => ({ xs: [], ys: tf.tensor1d([0, 1], 'int32'), weights: tf.tensor1d([3, 5]) });
    expect(value(() => loss.of(outputs(), batch()))).toBeCloseTo((2 * 3 * log(0.7) + 5 * log(0.6)) / 2, 4);
  });

  test('labelSmoothing moves a share of each target to all classes', () => {
    const loss = batchLoss('sparseCategoricalCrossentropy', { labelSmoothing: 0.3 });
    const row = (p: number[], right: number) =>
      p.reduce((sum, each, index) => sum + (index === right ? 0.8 : 0.1) * log(each), 0);
    const expected = (row([0.7, 0.2, 0.1], 0) + row([0.1, 0.6, 0.3], 1)) / 2;
    expect(value(() => loss.of(outputs(), { xs: [], ys: tf.tensor1d([0, 1], 'int32') }))).toBeCloseTo(
      expected,
      5,
    );
  });

  test('binary targets are smoothed toward one half', () => {
    const loss = batchLoss('binaryCrossentropy', { labelSmoothing: 0.2 });
    const got = value(() => loss.of(tf.tensor2d([[0.8]]), { xs: [], ys: tf.tensor2d([[1]]) }));
    expect(got).toBeCloseTo(0.9 * log(0.8) + 0.1 * log(0.2), 5);
  });

  test('a loss without classes refuses settings about classes', () => {
    expect(() => batchLoss('meanSquaredError', { labelSmoothing: 0.1 })).toThrow(
      /labelSmoothing needs a loss between classes/,
    );
    expect(() => batchLoss('meanSquaredError', { classWeights: { 0: 2 } })).toThrow(
      /classWeights needs a loss between classes/,
    );
  });
});
