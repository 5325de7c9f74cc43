import * as tf from '@tensorflow/tfjs-core';

type Binary = (dy: tf.Tensor, a: tf.Tensor, b: tf.Tensor) => tf.Tensor;

/**
 * Stock: the gradient of an operand that was broadcast keeps the shape of the result, and training stops with an
 * error about shapes. Each of its elements is used in several results, so its gradient is the sum over them.
 */
export const BROADCAST_GRADIENTS: readonly tf.GradConfig[] = [
  // Where the two are equal, the first gets the gradient, as in stock tfjs and TensorFlow.
  binary(tf.Maximum, ['a', 'b'], {
    a: (dy, a, b) => masked(dy, tf.greaterEqual(a, b)),
    b: (dy, a, b) => masked(dy, tf.less(a, b)),
  }),
  binary(tf.Minimum, ['a', 'b'], {
    a: (dy, a, b) => masked(dy, tf.lessEqual(a, b)),
    b: (dy, a, b) => masked(dy, tf.greater(a, b)),
  }),
  binary(tf.SquaredDifference, ['a', 'b'], {
    a: (dy, a, b) => tf.mul(dy, tf.mul(2, tf.sub(a, b))),
    b: (dy, a, b) => tf.mul(dy, tf.mul(2, tf.sub(b, a))),
  }),
  // Stock sums for alpha, but not for x.
  binary(tf.Prelu, ['x', 'alpha'], {
    x: (dy, x, alpha) => tf.where(tf.greater(x, 0), dy, tf.mul(dy, alpha)),
    alpha: (dy, x) => tf.where(tf.greater(x, 0), tf.zerosLike(dy), tf.mul(dy, x)),
  }),
  {
    // matMul of [8, 5, 4] with [4, 3] repeats the second matrix for each of the first.
    kernelName: tf.BatchMatMul,
    inputsToSave: ['a', 'b'],
    gradFunc: (dy, saved, { transposeA, transposeB }) => {
      const [a, b] = saved as [tf.Tensor, tf.Tensor];
      const gradient = dy as tf.Tensor;
      return {
        a: () =>
          sumToShape(matMulGradientOfA(gradient, b, Boolean(transposeA), Boolean(transposeB)), a.shape),
        b: () =>
          sumToShape(matMulGradientOfB(gradient, a, Boolean(transposeA), Boolean(transposeB)), b.shape),
      };
    },
  },
];

function binary(kernelName: string, names: [string, string], parts: Record<string, Binary>): tf.GradConfig {
  return {
    kernelName,
    inputsToSave: names,
    gradFunc: (dy, saved) => {
      const [a, b] = saved as [tf.Tensor, tf.Tensor];
      return Object.fromEntries(
        names.map((name, index) => [
          name,
          () => sumToShape(parts[name]!(dy as tf.Tensor, a, b), saved[index]!.shape),
        ]),
      );
    },
  };
}

function masked(dy: tf.Tensor, where: tf.Tensor): tf.Tensor {
  return tf.mul(dy, tf.cast(where, 'float32'));
}

function matMulGradientOfA(dy: tf.Tensor, b: tf.Tensor, transposeA: boolean, transposeB: boolean): tf.Tensor {
  return transposeA ? tf.matMul(b, dy, transposeB, true) : tf.matMul(dy, b, false, !transposeB);
}

function matMulGradientOfB(dy: tf.Tensor, a: tf.Tensor, transposeA: boolean, transposeB: boolean): tf.Tensor {
  return transposeB ? tf.matMul(dy, a, true, transposeA) : tf.matMul(a, dy, !transposeA, false);
}

/** Adds up the gradient of an operand that was broadcast, so that it has the operand's shape. */
function sumToShape(gradient: tf.Tensor, shape: number[]): tf.Tensor {
  if (tf.util.arraysEqual(gradient.shape, shape)) return gradient;
  const lacking = gradient.rank - shape.length;
  const axes = gradient.shape.flatMap((size, axis) =>
    axis < lacking || (shape[axis - lacking] === 1 && size !== 1) ? [axis] : [],
  );
  return tf.reshape(tf.sum(gradient, axes), shape);
}
