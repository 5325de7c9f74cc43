import { copyToHost } from '@hookline/numerics';
import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { WeightAverage } from '../src/index.js';

describe.each(['cpu', 'wasm'] as const)('on %s', (backend) => {
  beforeAll(() => useBackend(backend));

  const parameter = (start: number) => ({ path: 'w', variable: tf.variable(tf.tensor1d([start])) });
  const numberIn = (variable: tf.Variable) => variable.dataSync()[0]!;

  /** Goes through these weights, averaging after each. */
  function averaged(weights: readonly number[]) {
    const { path, variable } = parameter(weights[0]!);
    const average = new WeightAverage(() => [{ path, variable }], 0.5);
    for (const weight of weights) {
      tf.tidy(() => variable.assign(tf.tensor1d([weight])));
      average.update();
    }
    return { average, variable };
  }

  test('the average starts at the first weights and moves towards the latest', () => {
    const { average } = averaged([8, 4, 2]);
    expect([...average.tensors.w!.dataSync()]).toEqual([0.5 * (0.5 * 8 + 0.5 * 4) + 0.5 * 2]);
  });

  test('it is swapped into the model and out again, and training continues with its weights', () => {
    const { average, variable } = averaged([8, 4]);
    average.swapIn();
    expect(numberIn(variable)).toBe(6);
    expect(average.weightOf(variable)!.dataSync()[0]).toBe(4);
    average.swapOut();
    expect(numberIn(variable)).toBe(4);
    expect(average.weightOf(variable)).toBeUndefined();
  });

  test('swapped in twice, it does not take itself for the weights of training', () => {
    const { average, variable } = averaged([8, 4]);
    const before = tf.memory().numTensors;
    average.swapIn();
    average.swapIn();
    expect(numberIn(variable)).toBe(6);
    average.swapOut();
    expect(numberIn(variable)).toBe(4);
    expect(tf.memory().numTensors).toBe(before);
  });

  test('swapped out without being in, it leaves the model alone', () => {
    const { average, variable } = averaged([8, 4]);
    average.swapOut();
    expect(numberIn(variable)).toBe(4);
  });

  test('weights that somebody puts into the model meanwhile can be kept', () => {
    const { average, variable } = averaged([8, 4]);
    average.swapIn();
    tf.tidy(() => variable.assign(tf.tensor1d([100])));
    average.keepIn();
    average.swapOut();
    expect(numberIn(variable)).toBe(100);
  });

  test('it can stay in the model for good', () => {
    const { average, variable } = averaged([8, 4]);
    average.settle();
    expect(numberIn(variable)).toBe(6);
  });

  test('for good means that no swap under way takes it out again', () => {
    const { average, variable } = averaged([8, 4]);
    average.swapIn();
    average.settle();
    average.swapOut();
    expect(numberIn(variable)).toBe(6);
  });

  test('what was loaded replaces what was there, and a parameter that was not saved starts again', async () => {
    const { average, variable } = averaged([8, 4]);
    const before = tf.memory().numTensors;
    const tensor = tf.tensor1d([1]);
    average.load(await copyToHost({ other: tensor }));
    tensor.dispose();
    expect(Object.keys(average.tensors)).toEqual(['other']);
    average.swapIn();
    expect(numberIn(variable)).toBe(4);
    average.swapOut();
    average.update();
    expect([...average.tensors.w!.dataSync()]).toEqual([4]);
    expect(tf.memory().numTensors).toBe(before + 1);
  });

  test('a weight that is not finite is not hidden by the average', () => {
    const { average } = averaged([8, Number.NaN, 4]);
    expect(average.tensors.w!.dataSync()[0]).toBeNaN();
    expect(averaged([8, Number.POSITIVE_INFINITY]).average.tensors.w!.dataSync()[0]).toBe(Infinity);
  });

  test('it continues from what was saved', async () => {
    const { average } = averaged([8, 4]);
    const saved = await copyToHost(average.tensors);
    const { path, variable } = parameter(2);
    const resumed = new WeightAverage(() => [{ path, variable }], 0.5);
    resumed.load(saved);
    resumed.update();
    expect([...resumed.tensors.w!.dataSync()]).toEqual([4]);
  });

  test('a parameter that joins later starts at its own value; before that it is left alone', () => {
    const [first, late] = [parameter(1), { path: 'late', variable: tf.variable(tf.tensor1d([7])) }];
    let parameters = [first];
    const average = new WeightAverage(() => parameters, 0.5);
    average.update();
    parameters = [first, late];
    average.swapIn();
    expect(numberIn(late.variable)).toBe(7);
    average.swapOut();
    average.update();
    expect([...average.tensors.late!.dataSync()]).toEqual([7]);
  });

  test('nothing is left behind when it is disposed, not even in the middle of a swap', () => {
    const { path, variable } = parameter(1);
    const before = tf.memory().numTensors;
    const average = new WeightAverage(() => [{ path, variable }], 0.5);
    for (let step = 0; step < 5; step++) tf.tidy(() => average.update());
    average.swapIn();
    average.dispose();
    expect(tf.memory().numTensors).toBe(before);
  });
});
