import * as tf from '@tensorflow/tfjs-core';

/**
 * The results of these do not change when their inputs change a little, so their gradient is zero. tfjs cannot end
 * a path of the tape, and without a gradient it refuses to train `tf.where(tf.greater(x, 0), a, b)`: "gradient
 * function not found for Greater".
 */
export const ZERO_GRADIENTS: readonly tf.GradConfig[] = [
  ...[tf.Greater, tf.Less, tf.LessEqual, tf.Equal, tf.NotEqual, tf.LogicalAnd, tf.LogicalOr].map((kernel) =>
    zeroGradient(kernel, ['a', 'b']),
  ),
  ...[tf.LogicalNot, tf.All, tf.Any].map((kernel) => zeroGradient(kernel, ['x'])),
  zeroGradient(tf.Multinomial, ['logits']),
];

/** Stock has gradients for these, which are wrong. */
export const MENDED_ZERO_GRADIENTS: readonly tf.GradConfig[] = [
  // Of the type of its operands, which fails for integers.
  zeroGradient(tf.GreaterEqual, ['a', 'b']),
  // The gradient of the exact quotient, though the result is a staircase.
  zeroGradient(tf.FloorDiv, ['a', 'b']),
  {
    // Handed through whatever the type. Rounded to integers or truth values, the result is a staircase.
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
