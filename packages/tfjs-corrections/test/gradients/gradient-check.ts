import { numbers, TEST_BACKENDS, useBackend, useStockGradients } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, describe, expect, test } from 'vitest';
import { completeChainedOps, correctTfjs } from '../../src/index.js';
import { useStockKernels } from '../cpu/stock-kernels.js';

// Cases make tensors as they are loaded, and stock gradients need methods that only `@tensorflow/tfjs` adds.
await useBackend();
completeChainedOps();

/** A function of tensors whose gradient stock tfjs does not have, or has wrong. */
export interface GradientCase {
  name: string;
  compute: (...operands: tf.Tensor[]) => tf.Tensor;
  /** The operands, or shapes of which to make some. */
  operands: readonly (tf.Tensor | number[])[];
  /** The error of stock tfjs, or `wrong` where it gives a wrong result without an error. */
  stock: RegExp | 'wrong';
  /** Where tfjs can compute the function correctly; by default both. */
  backends?: readonly ('cpu' | 'wasm')[];
}

/** Shows for each case that stock tfjs is wrong, and that the registered gradient is right. */
export function checkGradients(what: string, cases: readonly GradientCase[]): void {
  afterEach(useStockGradients);
  const casesOn = (backend: string) =>
    cases
      .filter(({ backends }) => !backends || isOther(backend) || backends.includes(backend as 'cpu'))
      .map((each) => [each.name, each] as const);
  const backends = TEST_BACKENDS.filter((backend) => casesOn(backend).length > 0);
  describe.each(backends)(`${what} on %s`, (backend) => {
    const here = casesOn(backend);
    // What stock does elsewhere is another matter, and the corrections have to hold there, too.
    test.skipIf(isOther(backend)).each(here)(
      'stock tfjs is wrong: %s',
      async (_name, { compute, operands, stock }) => {
        await useBackend(backend);
        useStockGradients();
        useStockKernels();
        const judge = () => largestError(compute, operands);
        if (stock === 'wrong') expect(judge()).toBeGreaterThan(0.05);
        else expect(judge).toThrow(stock);
      },
    );
    test.each(here)('right: %s', async (_name, { compute, operands }) => {
      await useBackend(backend);
      correctTfjs();
      expect(largestError(compute, operands)).toBeLessThan(2e-3);
    });
  });
}

function isOther(backend: string): boolean {
  return backend !== 'cpu' && backend !== 'wasm';
}

const EPSILON = 2 ** -7;

/**
 * How far the gradients are from how the result changes when an element of an operand does. The result is weighted
 * with fixed numbers, so that each of its elements counts differently.
 */
function largestError(compute: GradientCase['compute'], given: GradientCase['operands']): number {
  const operands = given.map((operand, i) =>
    Array.isArray(operand) ? made(operand, i) : (operand as tf.Tensor),
  );
  const { shape, size } = tf.tidy(() => compute(...operands));
  const factors = numbers(size, 99);
  const weights = tf.tensor(factors, shape);
  const gradients = tf.grads((...xs) => tf.sum(tf.mul(compute(...xs), weights)))(operands);
  const weighted = (xs: tf.Tensor[]) => {
    const result = tf.tidy(() => compute(...xs).dataSync());
    return factors.reduce((sum, factor, i) => sum + factor * result[i]!, 0);
  };
  let largest = 0;
  for (const [index, operand] of operands.entries()) {
    const values = operand.dataSync().slice();
    const gradient = gradients[index]!.dataSync();
    for (let i = 0; i < values.length; i++) {
      const at = (change: number) => {
        const changed = values.slice();
        changed[i]! += change;
        return weighted(
          operands.map((other, k) => (k === index ? tf.tensor(changed, operand.shape) : other)),
        );
      };
      const slope = (at(EPSILON) - at(-EPSILON)) / (2 * EPSILON);
      largest = Math.max(largest, Math.abs(slope - gradient[i]!) / Math.max(1, Math.abs(slope)));
    }
  }
  return largest;
}

/** Numbers that are not close to each other or to zero, where functions have corners. */
function made(shape: number[], seed: number): tf.Tensor {
  const size = tf.util.sizeFromShape(shape);
  const order = numbers(size, seed + 3).map((value, i) => ({ value, i }));
  order.sort((a, b) => a.value - b.value);
  const values = new Float32Array(size);
  // Shifted by the seed, so that two operands have no number in common.
  for (const [rank, { i }] of order.entries())
    values[i] = ((rank + 0.5) / size - 0.5) * 3 + 0.071 * (seed + 1);
  return tf.tensor(values, shape);
}
