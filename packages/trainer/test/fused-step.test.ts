import { clipGradients, OPTIMIZER_KINDS, type OptimizerName } from '@hookline/optimizers';
import { rows } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { drive, GRADIENTS, START } from '../../optimizers/test/drive.js';
import { type LossName, selectBackend } from '../src/index.js';
import { batchLoss } from '../src/objective/losses/batch-loss.js';

describe.each(['wasm', 'cpu'])('on %s an optimizer step is one loop over each parameter', (backend) => {
  beforeAll(() => selectBackend({ backend, root: '.' }), 60_000);

  const cases: [OptimizerName, object][] = [
    ['sgd', {}],
    ['sgd', { momentum: 0.9, nesterov: true, weightDecay: 0.1 }],
    ['adam', { weightDecay: 0.1 }],
    ['adamw', { beta1: 0.8 }],
    ['rmsprop', { momentum: 0.9 }],
    ['rmsprop', { centered: true, rho: 0.9 }],
    ['adagrad', { initialAccumulator: 0.1 }],
    ['adadelta', { rho: 0.95 }],
    ['lion', { weightDecay: 0.1 }],
  ];

  test.each(cases)('%s %o gives the bits of its rule', (name, options) => {
    const driven = drive({ name, ...options } as never);
    driven.step(GRADIENTS.slice(0, 10));
    expect(driven.values()).toEqual(byRule(name, options, GRADIENTS.slice(0, 10)));
  });

  test('nothing else is computed, and what somebody cloned or read keeps its values', () => {
    const driven = drive('adam');
    driven.step(GRADIENTS.slice(0, 1));
    const { variable } = driven.optimizer.parameters[0]!;
    const before = driven.values();
    const [{ dataId }, made] = [variable, tensorsSoFar()];
    driven.step(GRADIENTS.slice(1, 2));
    if (backend === 'wasm') expect(variable.dataId).toBe(dataId);
    expect(tensorsSoFar() - made).toBeLessThan(8); // the gradient, the value, two slots
    const clone = tf.clone(variable);
    const read = variable.dataSync();
    const during = driven.values();
    driven.step(GRADIENTS.slice(2, 3));
    expect([...clone.dataSync()]).toEqual(during);
    expect([...read]).toEqual(during);
    expect(during).not.toEqual(before);
    expect(driven.values()).not.toEqual(during);
  });

  function byRule(name: OptimizerName, options: object, gradients: readonly number[][]): number[] {
    const { lr, weightDecay, rule: ruleOf } = OPTIMIZER_KINDS[name];
    const rule = ruleOf(options as never);
    const hyper = { lr, ...(weightDecay !== undefined && { weightDecay }), ...options };
    let value: tf.Tensor = tf.tensor1d([...START]);
    let slots = rule.slots.map((): tf.Tensor => tf.zerosLike(value));
    for (const [index, row] of gradients.entries()) {
      const gradient = tf.tensor1d(row);
      ({ value, slots } = rule.update({ value, gradient, slots, step: index + 1, hyper, scalar: tf.scalar }));
    }
    return [...value.dataSync()];
  }
});

describe('on wasm a loss is one operation', () => {
  beforeAll(() => selectBackend({ backend: 'wasm', root: '.' }), 60_000);

  const logits = rows(6, 3, 7);
  const probabilities = logits.map((row) => row.map((x) => 1 / (1 + Math.exp(-x))));
  const oneHot = logits.map((_, i) => [0, 1, 2].map((k) => Number(k === i % 3)));
  const cases: [LossName, number[][], number[][] | number[]][] = [
    ['meanSquaredError', logits, oneHot],
    ['binaryCrossentropy', probabilities, oneHot],
    ['sigmoidCrossentropy', logits, oneHot],
    ['categoricalCrossentropy', probabilities, oneHot],
    ['sparseCategoricalCrossentropy', probabilities, logits.map((_, i) => i % 3)],
    ['softmaxCrossentropy', logits, oneHot],
    ['sparseSoftmaxCrossentropy', logits, logits.map((_, i) => i % 3)],
  ];

  test.each(cases)('%s has the value and the gradient that its parts have', (name, outputs, targets) => {
    const ys = tf.tensor(targets as number[][]);
    const weights = tf.ones([6]);
    const counted = (batch: { xs: tf.Tensor; ys: tf.Tensor; weights?: tf.Tensor }) => {
      const first = tensorsSoFar();
      const { value, grad } = tf.valueAndGrad((x) => batchLoss(name).of(x, batch).total)(tf.tensor(outputs));
      return {
        tensors: tensorsSoFar() - first,
        numbers: [...value.dataSync(), ...grad.dataSync()],
      };
    };
    // Weights of one change nothing, but for them there is no fused loss.
    const fused = counted({ xs: ys, ys });
    const inParts = counted({ xs: ys, ys, weights });
    for (const [i, number] of fused.numbers.entries()) expect(number).toBeCloseTo(inParts.numbers[i]!, 5);
    expect(fused.tensors).toBeLessThan(inParts.tensors - 3);
  });

  test('label smoothing is the same in one operation as in parts', () => {
    const outputs = tf.tensor(logits);
    const ys = tf.tensor1d(
      logits.map((_, i) => i % 3),
      'int32',
    );
    const loss = batchLoss('sparseSoftmaxCrossentropy', { labelSmoothing: 0.1 });
    const [fused, inParts] = [{ ys }, { ys, weights: tf.ones([6]) }].map(
      (batch) => loss.of(outputs, { xs: outputs, ...batch }).total.dataSync()[0]!,
    );
    expect(fused).toBeCloseTo(inParts!, 5);
    const plain = batchLoss('sparseSoftmaxCrossentropy').of(outputs, { xs: outputs, ys }).total.dataSync()[0];
    expect(fused).not.toBeCloseTo(plain!, 3);
  });
});

describe('on wasm the norm of all gradients is one pass', () => {
  beforeAll(() => selectBackend({ backend: 'wasm', root: '.' }), 60_000);
  const gradients = () => ({ a: tf.tensor1d([3, 0]), b: tf.tensor2d([[0], [4]]) }); // of norm 5
  const clipped = (limit: number, given: Record<string, tf.Tensor> = gradients()) =>
    Object.values(clipGradients(given, { mode: 'globalNorm', limit })).flatMap((each) => [
      ...each.dataSync(),
    ]);

  test('and what is within the limit stays as it is, to the bit', () => {
    expect(clipped(5.1)).toEqual([3, 0, 0, 4]);
    const made = tensorsSoFar();
    clipped(5.1);
    expect(tensorsSoFar() - made).toBeLessThan(6); // two gradients, their clones, and the one that counts
  });

  test('and what is above it is scaled to it, and a NaN is not lost', () => {
    for (const [i, value] of clipped(1).entries()) expect(value).toBeCloseTo([0.6, 0, 0, 0.8][i]!, 5);
    expect(clipped(1, { a: tf.tensor1d([1, Number.NaN]), b: tf.tensor1d([1]) })).toEqual([
      Number.NaN,
      Number.NaN,
      Number.NaN,
    ]);
  });
});

/** Tensors are numbered as they are made. */
function tensorsSoFar(): number {
  return tf.tidy(() => tf.scalar(0).id);
}
