import { rows } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type LossName, selectBackend } from '../../../src/index.js';
import { batchLoss } from '../../../src/objective/losses/batch-loss.js';

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

/** Tensors are numbered as they are made. */
function tensorsSoFar(): number {
  return tf.tidy(() => tf.scalar(0).id);
}
