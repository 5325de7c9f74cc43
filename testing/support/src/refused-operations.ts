import * as tf from '@tensorflow/tfjs-core';

/** What cpu computes and TensorFlow refuses, forgets or computes in another way: of images of [1, 8, 7, 2]. */
export const REFUSED_OPERATIONS: Readonly<Record<string, (x: tf.Tensor4D) => tf.Tensor>> = {
  'convolution with a number as padding': (x) => tf.conv2d(x, someEqual([3, 3, 2, 3]), 1, 1),
  'convolution with explicit padding': (x) =>
    tf.conv2d(x, someEqual([3, 2, 2, 3]), 1, [
      [0, 0],
      [2, 0],
      [1, 3],
      [0, 0],
    ]),
  'convolution with padding, and strides that leave elements over': (x) =>
    tf.conv2d(x, someEqual([3, 3, 2, 3]), [2, 2], 1),
  'convolution of a window that is not square, with a number as padding': (x) =>
    tf.conv2d(x, someEqual([3, 1, 2, 3]), 1, 1),
  'dilated depthwise convolution': (x) =>
    tf.depthwiseConv2d(x, someEqual([3, 3, 2, 2]), 1, 'same', 'NHWC', 2),
  'depthwise convolution with unequal strides': (x) =>
    tf.depthwiseConv2d(x, someEqual([3, 3, 2, 1]), [1, 2], 'same'),
  'depthwise convolution with a number as padding': (x) =>
    tf.depthwiseConv2d(x, someEqual([3, 3, 2, 1]), 1, 1),
  'dilated separable convolution': (x) =>
    tf.separableConv2d(x, someEqual([2, 2, 2, 1]), someEqual([1, 1, 2, 3]), 1, 'valid', [2, 2]),
  'dilated convolution of volumes': (x) =>
    tf.conv3d(volume(x), someEqual([2, 2, 1, 1, 3]), 1, 'same', 'NDHWC', [2, 2, 1]),
  'max pooling of volumes with ties': (x) => tf.maxPool3d(tf.relu(volume(x)), 2, 1, 'same'),
  'pooling with a number as padding': (x) => tf.avgPool(x, 3, 1, 1),
  'pooling that rounds up': (x) => tf.maxPool(x, 3, 2, 0, 'ceil'),
  maxPoolWithArgmax: (x) => tf.maxPoolWithArgmax(x, 2, 2, 'same').result!,
  'gather along the last axis': (x) => tf.gather(x, tf.tensor1d([1, 0, 1], 'int32'), -1),
  'einsum with spaces': (x) => tf.einsum('bhwc, cd -> bhwd', x, someEqual([2, 3])),
};

/** What an operation gives on a backend, with the gradient of its input, and how many tensors it leaves behind. */
export async function outcomeOn(
  backend: string,
  compute: (x: tf.Tensor4D) => tf.Tensor,
): Promise<{ shape: number[]; numbers: number[]; left: number }> {
  await tf.setBackend(backend);
  const tensorsBefore = tf.memory().numTensors;
  const { value, gradient } = tf.tidy(() => {
    const x = someEqual<tf.Tensor4D>([1, 8, 7, 2]);
    const value = compute(x);
    const gradient = tf.grad((given) => tf.mul(compute(given as tf.Tensor4D), someEqual(value.shape)))(x);
    return { value, gradient };
  });
  const numbers = [...(await value.data()), ...(await gradient.data())];
  const { shape } = value;
  tf.dispose([value, gradient]);
  return { shape, numbers, left: tf.memory().numTensors - tensorsBefore };
}

/** Numbers that look random; some of them are equal. */
export function someEqual<Result extends tf.Tensor>(shape: number[]): Result {
  const size = tf.util.sizeFromShape(shape);
  const values = Array.from({ length: size }, (_, i) => Math.round(Math.sin(i * 12.9898) * 16) / 16);
  return tf.tensor(values, shape) as Result;
}

export function volume(x: tf.Tensor): tf.Tensor5D {
  return tf.reshape(x, [1, 8, 7, 2, 1]) as tf.Tensor5D;
}
