import * as tf from '@tensorflow/tfjs-core';

/**
 * The results of these operations do not change when their inputs change a little, so their gradient is zero. tfjs has
 * none and therefore refuses to train `tf.where(tf.greater(x, 0), a, b)`: "gradient function not found for Greater".
 */
export const ZERO_GRADIENTS: readonly tf.GradConfig[] = [
  ...[tf.Greater, tf.Less, tf.LessEqual, tf.Equal, tf.NotEqual, tf.LogicalAnd, tf.LogicalOr].map((kernel) =>
    zeroGradient(kernel, ['a', 'b']),
  ),
  ...[tf.LogicalNot, tf.All, tf.Any].map((kernel) => zeroGradient(kernel, ['x'])),
  zeroGradient(tf.Multinomial, ['logits']),
];

/** The gradients of stock are wrong. */
export const MENDED_ZERO_GRADIENTS: readonly tf.GradConfig[] = [
  // Stock gives it the type of its operands, which fails for integers.
  zeroGradient(tf.GreaterEqual, ['a', 'b']),
  // Stock uses the gradient of the exact quotient, although the result is a staircase.
  zeroGradient(tf.FloorDiv, ['a', 'b']),
  {
    // Stock passes it on whatever the type. As integers or booleans, the result is a staircase.
    kernelName: tf.Cast,
    gradFunc: (dy, _saved, { dtype }) => ({
      x: () =>
        dtype === 'int32' || dtype === 'bool' ? tf.zeros((dy as tf.Tensor).shape) : tf.clone(dy as tf.Tensor),
    }),
  },
];

function zeroGradient(kernelName: string, inputs: string[]): tf.GradConfig {
  return {
    kernelName,
    inputsToSave: inputs,
    gradFunc: (_dy, saved) =>
      Object.fromEntries(inputs.map((name, index) => [name, () => tf.zeros(saved[index]!.shape)])),
  };
}
