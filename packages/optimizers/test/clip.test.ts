import { errorOf, farBackend, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Clip, type ClipOption, clipGradients, clipOf, globalNorm } from '../src/index.js';

/** Clips two gradients, [3, 4] and [-0.3, 0, 0.4], and gives their numbers. */
function clipped(option: ClipOption): number[][] {
  const gradients = { a: tf.tensor1d([3, 4]), b: tf.tensor1d([-0.3, 0, 0.4]) };
  const result = clipGradients(gradients, clipOf(option));
  const numbers = ['a', 'b'].map((path) => [...result[path]!.dataSync()]);
  expect([...gradients.a.dataSync()]).toEqual([3, 4]);
  tf.dispose([gradients, result]);
  return numbers;
}

function expectClose(actual: number[][], expected: number[][]): void {
  expect(actual.map((row) => row.length)).toEqual(expected.map((row) => row.length));
  actual.flat().forEach((value, i) => {
    expect(value).toBeCloseTo(expected.flat()[i]!, 5);
  });
}

describe.each(['cpu', 'wasm'] as const)('on %s', (backend) => {
  beforeAll(() => useBackend(backend));

  test('by value, each number is limited in both directions', () => {
    expectClose(clipped({ value: 0.35 }), [
      [0.35, 0.35],
      [-0.3, 0, 0.35],
    ]);
  });

  test('by norm, each gradient is scaled down on its own', () => {
    expectClose(clipped({ norm: 1 }), [
      [0.6, 0.8],
      [-0.3, 0, 0.4],
    ]);
  });

  test('by the global norm, all gradients are scaled by one factor, which keeps their direction', () => {
    const factor = 1 / Math.hypot(3, 4, 0.3, 0.4);
    expectClose(clipped({ globalNorm: 1 }), [
      [3 * factor, 4 * factor],
      [-0.3 * factor, 0, 0.4 * factor],
    ]);
  });

  test('gradients of zero stay zero', () => {
    for (const mode of ['value', 'norm', 'globalNorm'] as const) {
      const gradients = { a: tf.zeros([3]) };
      const result = clipGradients(gradients, { mode, limit: 1 });
      expect([...result.a!.dataSync()]).toEqual([0, 0, 0]);
    }
  });

  test('no tensor is left behind but the new gradients', () => {
    const gradients = { a: tf.tensor1d([3, 4]), b: tf.tensor1d([1]) };
    for (const mode of ['value', 'norm', 'globalNorm'] as const) {
      const before = tf.memory().numTensors;
      const result = clipGradients(gradients, { mode, limit: 0.1 });
      expect(tf.memory().numTensors - before).toBe(2);
      tf.dispose(result);
    }
    const before = tf.memory().numTensors;
    const norm = globalNorm(gradients);
    expect(norm.dataSync()[0]).toBeCloseTo(Math.hypot(3, 4, 1), 5);
    expect(tf.memory().numTensors - before).toBe(1);
    tf.dispose([gradients, norm]);
  });
});

test('nothing is read from a device', async () => {
  await useBackend('cpu');
  const far = farBackend();
  await tf.setBackend(far.name);
  onTestFinished(() => tf.setBackend('cpu').then(() => {}));
  const gradients = { a: tf.tensor1d([3, 4]) };
  for (const mode of ['value', 'norm', 'globalNorm'] as const) clipGradients(gradients, { mode, limit: 1 });
  globalNorm(gradients);
  expect(far.reads).toBe(0);
});

test.each([{}, { value: 0 }, { norm: -1 }, { globalNorm: Number.NaN }, { value: 1, norm: 1 }, { max: 1 }])(
  'an option that makes no sense is shown with what is expected: %o',
  async (option) => {
    const error = await errorOf((): Clip => clipOf(option as ClipOption));
    expect(error.code).toBe('BAD_OPTIONS');
    expect(error.message).toContain(`clip is ${JSON.stringify(option)}`);
    expect(error.message).toContain('{ globalNorm }');
  },
);

describe('on wasm the norm of all gradients is one pass', () => {
  beforeAll(() => useBackend('wasm'), 60_000);
  const gradients = () => ({ a: tf.tensor1d([3, 0]), b: tf.tensor2d([[0], [4]]) }); // of norm 5
  const clipped = (limit: number, given: Record<string, tf.Tensor> = gradients()) =>
    Object.values(clipGradients(given, { mode: 'globalNorm', limit })).flatMap((each) => [
      ...each.dataSync(),
    ]);

  test('and gradients within the limit stay as they are, to the bit', () => {
    expect(clipped(5.1)).toEqual([3, 0, 0, 4]);
    const made = tensorsSoFar();
    clipped(5.1);
    expect(tensorsSoFar() - made).toBeLessThan(6); // two gradients, their clones, and the one that tensorsSoFar makes
  });

  test('and gradients above it are scaled to it, and a NaN is not lost', () => {
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
