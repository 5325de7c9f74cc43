import { itOn } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect } from 'vitest';

const onNative = itOn('tensorflow');

onNative('tf.multinomial gives the same samples for the same seed', async () => {
  const logits = tf.tensor1d([0.1, 0.5, 0.4, -1]);
  const sample = async (seed: number) => [...(await tf.multinomial(logits, 50, seed).data())];
  const first = await sample(7);
  expect(await sample(7)).toEqual(first);
  expect(await sample(8)).not.toEqual(first);
});

/** What TensorFlow refuses, or computes in another way, and cpu does not. */
const OPERATIONS: Readonly<Record<string, (x: tf.Tensor4D) => tf.Tensor>> = {
  'convolution with a number as padding': (x) => tf.conv2d(x, weights([3, 3, 2, 3]), 1, 1),
  'convolution with explicit padding': (x) =>
    tf.conv2d(x, weights([3, 2, 2, 3]), 1, [
      [0, 0],
      [2, 0],
      [1, 3],
      [0, 0],
    ]),
  'dilated depthwise convolution': (x) => tf.depthwiseConv2d(x, weights([3, 3, 2, 2]), 1, 'same', 'NHWC', 2),
  'depthwise convolution with unequal strides': (x) =>
    tf.depthwiseConv2d(x, weights([3, 3, 2, 1]), [1, 2], 'same'),
  'depthwise convolution with a number as padding': (x) => tf.depthwiseConv2d(x, weights([3, 3, 2, 1]), 1, 1),
  'dilated separable convolution': (x) =>
    tf.separableConv2d(x, weights([2, 2, 2, 1]), weights([1, 1, 2, 3]), 1, 'valid', [2, 2]),
  'dilated convolution of volumes': (x) =>
    tf.conv3d(volume(x), weights([2, 2, 1, 1, 3]), 1, 'same', 'NDHWC', [2, 2, 1]),
  'average pooling, same': (x) => tf.avgPool(x, 3, 2, 'same'),
  'average pooling of volumes, same': (x) => tf.avgPool3d(volume(x), 3, 1, 'same'),
  'max pooling of volumes with ties': (x) => tf.maxPool3d(tf.relu(volume(x)), 2, 1, 'same'),
  'pooling with a number as padding': (x) => tf.avgPool(x, 3, 1, 1),
  'pooling that rounds up': (x) => tf.maxPool(x, 3, 2, 0, 'ceil'),
  maxPoolWithArgmax: (x) => tf.maxPoolWithArgmax(x, 2, 2, 'same').result!,
  'gather along the last axis': (x) => tf.gather(x, tf.tensor1d([1, 0, 1], 'int32'), -1),
  'einsum with spaces': (x) => tf.einsum('bhwc, cd -> bhwd', x, weights([2, 3])),
};

itOn('tensorflow').each(Object.keys(OPERATIONS))(
  'gives what cpu gives, with its gradient: %s',
  async (name) => {
    const compute = OPERATIONS[name]!;
    const outcome = async (backend: string) => {
      await tf.setBackend(backend);
      const tensorsBefore = tf.memory().numTensors;
      const results = tf.tidy(() => {
        const x = weights([1, 8, 7, 2]) as tf.Tensor4D;
        const value = compute(x);
        const gradient = tf.grad((given) => tf.mul(compute(given as tf.Tensor4D), weights(value.shape)))(x);
        return { value, gradient };
      });
      const numbers = [...(await results.value.data()), ...(await results.gradient.data())];
      const { shape } = results.value;
      tf.dispose(results);
      return { shape, numbers, left: tf.memory().numTensors - tensorsBefore };
    };
    const expected = await outcome('cpu');
    const actual = await outcome('tensorflow');
    expect(actual).toMatchObject({ shape: expected.shape, left: 0 });
    const errors = actual.numbers.map((each, i) => Math.abs(each - expected.numbers[i]!));
    expect(Math.max(...errors)).toBeLessThan(1e-5);
  },
);

/** Numbers that look random; some of them are equal. */
function weights<Shape extends number[]>(shape: Shape): tf.Tensor & never {
  const size = tf.util.sizeFromShape(shape);
  const values = Array.from({ length: size }, (_, i) => Math.round(Math.sin(i * 12.9898) * 16) / 16);
  return tf.tensor(values, shape) as tf.Tensor & never;
}

function volume(x: tf.Tensor): tf.Tensor5D {
  return tf.reshape(x, [1, 8, 7, 2, 1]) as tf.Tensor5D;
}
