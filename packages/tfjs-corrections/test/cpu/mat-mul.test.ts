import { numbers, useBackend, useStockGradients } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { correctCpuKernels } from '../../src/cpu/correct-cpu-kernels.js';
import { registerGradients } from '../../src/index.js';
import { useStockKernels } from './stock-kernels.js';

beforeEach(async () => {
  await useBackend('cpu');
  useStockKernels();
});
afterAll(useStockGradients);

const example = () =>
  tf.matMul(tf.tensor4d([1, 2], [2, 1, 1, 1]), tf.tensor4d([10, 20, 30, 40], [2, 2, 1, 1])).dataSync();

test('stock tfjs multiplies the wrong matrices of a batch that repeats its last axis', () => {
  expect([...example()]).toEqual([10, 40, 30, 80]);
});

test('each matrix of the batch meets the one at its place', () => {
  correctCpuKernels();
  expect([...example()]).toEqual([10, 20, 60, 80]);
});

/** Every pair of batches that broadcasts to one of these: with missing axes, repeated ones, and no matrices at all. */
const PAIRS = [[], [2], [0], [2, 3], [2, 0], [2, 3, 2]].flatMap(pairsOf);

function pairsOf(batch: number[]): [number[], number[]][] {
  const parts = batch.reduce<number[][]>(
    (all, size) =>
      all.flatMap((some) => [
        [...some, size],
        [...some, 1],
      ]),
    [[]],
  );
  const shorter = parts.flatMap((part) => batch.map((_, lacking) => part.slice(lacking + 1)));
  const pairs = parts.flatMap((a) => [...parts, ...shorter].map((b): [number[], number[]] => [a, b]));
  const unique = new Map(
    pairs.flatMap(([a, b]) => [
      [`${a}x${b}`, [a, b]],
      [`${b}x${a}`, [b, a]],
    ]),
  );
  return [...unique.values()] as [number[], number[]][];
}

interface Matrices {
  values: number[];
  batch: number[];
  rows: number;
  columns: number;
}

/** The obvious way, in double precision. */
function reference(a: Matrices, b: Matrices): { batch: number[]; values: number[] } {
  const batch = tf.broadcast_util.assertAndGetBroadcastShape(a.batch, b.batch);
  const values: number[] = [];
  for (let i = 0; i < tf.util.sizeFromShape(batch); i++) {
    const place = tf.util.indexToLoc(i, batch.length, tf.util.computeStrides([...batch, 1]));
    const [inA, inB] = [a, b].map(({ batch: own, rows, columns }) => {
      const at = place.slice(batch.length - own.length).map((index, axis) => (own[axis] === 1 ? 0 : index));
      return at.reduce((sum, index, axis) => sum * own[axis]! + index, 0) * rows * columns;
    }) as [number, number];
    for (let row = 0; row < a.rows; row++)
      for (let column = 0; column < b.columns; column++) {
        let sum = 0;
        for (let k = 0; k < a.columns; k++)
          sum += a.values[inA + row * a.columns + k]! * b.values[inB + k * b.columns + column]!;
        values.push(sum);
      }
  }
  return { batch, values };
}

function matrices(batch: number[], rows: number, columns: number, seed: number): Matrices {
  const count = tf.util.sizeFromShape(batch) * rows * columns;
  return { values: numbers(count, seed).map(Math.fround), batch, rows, columns };
}

const tensorOf = ({ values, batch, rows, columns }: Matrices) => tf.tensor(values, [...batch, rows, columns]);
const lastTwoSwapped = (x: tf.Tensor) => {
  const axes = x.shape.map((_, axis) => axis);
  return tf.transpose(x, [...axes.slice(0, -2), x.rank - 1, x.rank - 2]);
};

describe.each(['cpu', 'wasm'] as const)(
  `${PAIRS.length} pairs of batches that broadcast, on %s`,
  (backend) => {
    beforeEach(async () => {
      correctCpuKernels();
      registerGradients();
      await useBackend(backend);
    });

    test.each([
      [false, false],
      [true, false],
      [false, true],
      [true, true],
    ])('give what the definition gives, transposed: %s, %s', (transposeA, transposeB) => {
      const wrong: string[] = [];
      for (const [batchA, batchB] of PAIRS) {
        const [a, b] = [matrices(batchA, 2, 3, 1), matrices(batchB, 3, 2, 2)];
        const expected = reference(a, b);
        tf.tidy(() => {
          const left = transposeA ? lastTwoSwapped(tensorOf(a)) : tensorOf(a);
          const right = transposeB ? lastTwoSwapped(tensorOf(b)) : tensorOf(b);
          const plain = tf.matMul(left, right, transposeA, transposeB);
          const check = (kind: string, product: tf.Tensor, bias: number[]) => {
            const values = product.dataSync();
            const isRight =
              String(product.shape) === String([...expected.batch, 2, 2]) &&
              values.length === expected.values.length &&
              expected.values.every((value, i) => Math.abs(values[i]! - value - bias[i % 2]!) < 1e-5);
            if (!isRight) wrong.push(`${kind} [${batchA}] x [${batchB}]`);
          };
          check('matMul', plain, [0, 0]);
          // With more axes tf.fused refuses to broadcast.
          if (batchA.length > 1 || batchB.length > 1) return;
          const bias = tf.tensor1d([5, 7]);
          check('fused', tf.fused.matMul({ a: left, b: right, transposeA, transposeB, bias }), [5, 7]);
        });
      }
      expect(wrong).toEqual([]);
    });

    test('have gradients that add up over what was repeated', () => {
      const wrong: string[] = [];
      for (const [batchA, batchB] of PAIRS.filter(([first]) => first.length < 3)) {
        const [a, b] = [matrices(batchA, 2, 3, 3), matrices(batchB, 3, 2, 4)];
        const { batch, values } = reference(a, b);
        const dy = numbers(values.length, 5);
        tf.tidy(() => {
          const multiply = (x: tf.Tensor, y: tf.Tensor) => tf.matMul(x, y);
          const weights = tf.tensor(dy, [...batch, 2, 2]);
          const gradients = tf.grads(multiply)([tensorOf(a), tensorOf(b)], weights);
          // A product is linear in each operand: moving one element moves the weighted sum by exactly its gradient.
          for (const [which, gradient] of gradients.entries()) {
            const found = gradient.dataSync();
            const operand = [a, b][which]!;
            for (const i of operand.values.keys()) {
              const unit = { ...operand, values: operand.values.map((_, k) => Number(k === i)) };
              const moved = which === 0 ? reference(unit, b) : reference(a, unit);
              const slope = moved.values.reduce((sum, value, k) => sum + value * dy[k]!, 0);
              if (!(Math.abs(found[i]! - slope) < 1e-4))
                wrong.push(`[${batchA}] x [${batchB}] ${which} ${i}`);
            }
          }
        });
      }
      expect(wrong).toEqual([]);
    });
  },
);

test('no tensor is left behind', () => {
  correctCpuKernels();
  const [a, b] = [tf.ones([2, 1, 1, 3]), tf.ones([1, 4, 3, 2])];
  const before = tf.memory();
  tf.matMul(a, b).dispose();
  const { numTensors, numDataBuffers } = tf.memory();
  expect({ numTensors, numDataBuffers }).toEqual({
    numTensors: before.numTensors,
    numDataBuffers: before.numDataBuffers,
  });
});
