import * as tf from '@tensorflow/tfjs-core';

/** Stock has none. Exact where factors are zero, unlike the usual division by the factors. */
export const CUMPROD_GRADIENT: tf.GradConfig = {
  kernelName: tf.Cumprod,
  inputsToSave: ['x'],
  gradFunc: (dy, [x], attrs) => ({
    x: () => cumprodGradient(dy as tf.Tensor, x!, attrs as unknown as tf.CumprodAttrs),
  }),
};

export const MENDED_CUMULATIVE_GRADIENTS: readonly tf.GradConfig[] = [
  {
    // Stock transposes the result as if the sum had been transposed. That fails on every axis but the last, and swaps
    // the axes of a square without an error.
    kernelName: tf.Cumsum,
    gradFunc: (dy, _saved, attrs) => {
      const { axis, exclusive, reverse } = attrs as unknown as tf.CumsumAttrs;
      return { x: () => tf.cumsum(dy as tf.Tensor, axis, exclusive, !reverse) };
    },
  },
  {
    // Stock calls methods of tensors that only `@tensorflow/tfjs` adds, and fails on a negative axis.
    kernelName: tf.Prod,
    inputsToSave: ['x'],
    gradFunc: (dy, [x], { axis }) => ({
      x: () => prodGradient(dy as tf.Tensor, x!, axis as number | number[] | undefined),
    }),
  },
];

function cumprodGradient(dy: tf.Tensor, x: tf.Tensor, attrs: tf.CumprodAttrs): tf.Tensor {
  const { axis, exclusive, reverse } = attrs;
  const oriented = (tensor: tf.Tensor) => tf.unstack(reverse ? tf.reverse(tensor, axis) : tensor, axis);
  const factors = oriented(x);
  const gradients = oriented(dy);
  // Each factor's gradient is the product of those before it times this sum over what comes after it.
  const sums: tf.Tensor[] = [];
  let sum: tf.Tensor = tf.zerosLike(factors[0]!);
  for (let i = factors.length - 1; i >= 0; i--) {
    const before: tf.Tensor = sum;
    const next = factors[i + (exclusive ? 0 : 1)];
    if (exclusive) sum = tf.add(gradients[i]!, tf.mul(next!, before));
    else sum = next ? tf.add(gradients[i]!, tf.mul(next, before)) : gradients[i]!;
    sums.unshift(exclusive ? before : sum);
  }
  const stacked = tf.stack(sums, axis);
  return tf.mul(tf.cumprod(x, axis, true, reverse), reverse ? tf.reverse(stacked, axis) : stacked);
}

function prodGradient(dy: tf.Tensor, x: tf.Tensor, axis: number | number[] | undefined): tf.Tensor {
  if (x.size === 0) return tf.zeros(x.shape);
  const axes = tf.util.parseAxisParam(axis as number[], x.shape);
  const permutation = tf.backend_util.getAxesPermutation(axes, x.rank);
  const permuted = permutation ? tf.transpose(x, permutation) : x;
  const count = axes.reduce((size, reduced) => size * x.shape[reduced]!, 1);
  const rows = tf.reshape(permuted, [-1, count]);
  const others = tf.mul(tf.cumprod(rows, 1, true, false), tf.cumprod(rows, 1, true, true));
  const gradient = tf.reshape(tf.mul(tf.reshape(dy, [-1, 1]), others), permuted.shape);
  return permutation ? tf.transpose(gradient, tf.backend_util.getUndoAxesPermutation(permutation)) : gradient;
}
