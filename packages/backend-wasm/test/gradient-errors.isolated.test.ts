import * as tf from '@tensorflow/tfjs-core';
import { afterAll, describe, expect, it } from 'vitest';
import { enableTraining } from '../src/index.js';
import { on } from './backends.js';

afterAll(async () => {
  (await enableTraining()).disable();
});

/** An operation with a gradient function that somebody got wrong. */
function custom(gradient: (dy: tf.Tensor) => unknown) {
  return tf.customGrad((x) => ({
    value: tf.square(x as tf.Tensor),
    gradFunc: (dy) => gradient(dy) as tf.Tensor,
  }));
}

const x = () => tf.tensor1d([1, 2, 3]);
const withoutGradient = (a: tf.Tensor) =>
  tf.engine().runKernel('NoGradient', { x: a } as never, {}) as tf.Tensor;

const WRONG: Readonly<Record<string, () => unknown>> = {
  'a gradient of another shape': () => tf.grad((a) => custom((dy) => tf.sum(dy))(a))(x()),
  'a gradient of integers': () => tf.grad((a) => custom((dy) => tf.cast(dy, 'int32'))(a))(x()),
  'an operation that has no gradient': () => tf.grad((a) => tf.sum(withoutGradient(tf.exp(a))))(x()),
  'a result that does not follow from the argument': () => tf.grad(() => tf.ones([3]))(x()),
  'a result that is not a tensor': () => tf.grad(() => 7 as unknown as tf.Tensor)(x()),
  'an arriving gradient of integers': () => tf.grad((a) => tf.square(a))(x(), tf.ones([3], 'int32')),
  'an arriving gradient of another shape': () => tf.grad((a) => tf.square(a))(x(), tf.ones([2])),
  'no arguments': () => tf.grads(() => tf.ones([1]))([]),
  'an error in the function': () =>
    tf.grad((a) => {
      tf.exp(a);
      throw new Error('of the user');
    })(x()),
  'an error in a gradient function': () =>
    tf.grad((a) =>
      custom(() => {
        throw new Error('of the user, backwards');
      })(tf.exp(a)),
    )(x()),
  'variables of which nothing depends': () => {
    const unused = tf.variable(x());
    try {
      return tf.variableGrads(() => tf.scalar(1), [unused]);
    } finally {
      unused.dispose();
    }
  },
};

/** What is thrown, and what is left. */
async function outcome(run: () => unknown): Promise<{ message: string; held: number; isReady: boolean }> {
  await tf.setBackend('wasm');
  const before = tf.memory().numTensors;
  let message = 'nothing was thrown';
  await on('wasm', run).catch((error: Error) => {
    message = error.message;
  });
  const held = tf.memory().numTensors - before;
  const next = await on('wasm', () => [
    ...tf
      .grad((a) => tf.sum(tf.square(a)))(x())
      .dataSync(),
  ]);
  return { message, held, isReady: String(next) === '2,4,6' };
}

describe('what goes wrong in a gradient', () => {
  it.each(Object.entries(WRONG))('is said as tfjs says it, and leaves nothing: %s', async (_name, run) => {
    tf.registerKernel({
      kernelName: 'NoGradient',
      backendName: 'wasm',
      kernelFunc: ({ inputs }) => tf.square((inputs as { x: tf.Tensor }).x),
    });
    await enableTraining({ engine: false });
    const expected = await outcome(run);
    await enableTraining({ engine: true });
    const actual = await outcome(run);
    tf.unregisterKernel('NoGradient', 'wasm');
    expect(expected.message).not.toBe('nothing was thrown');
    expect(actual).toEqual({ message: expected.message, held: 0, isReady: true });
  });
});
