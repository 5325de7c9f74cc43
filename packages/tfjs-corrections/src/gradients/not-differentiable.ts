import * as tf from '@tensorflow/tfjs-core';
import { noGradient } from './refused.js';

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
  ...[tf.LogicalXor, tf.BitwiseAnd].map((kernel) => zeroGradient(kernel, ['a', 'b'])),
  zeroGradient(tf.SearchSorted, ['sortedSequence', 'values']),
  ...[tf.NonMaxSuppressionV3, tf.NonMaxSuppressionV4].map((kernel) =>
    zeroGradient(kernel, ['boxes', 'scores']),
  ),
  {
    // The indices do not change, and the scores that come out are those that went in.
    kernelName: tf.NonMaxSuppressionV5,
    inputsToSave: ['boxes', 'scores'],
    outputsToSave: [true, false],
    gradFunc: (dys, saved, { softNmsSigma }) => {
      const [boxes, scores, chosen] = saved as [tf.Tensor, tf.Tensor, tf.Tensor];
      if (softNmsSigma) {
        throw noGradient(
          'tf.image.nonMaxSuppressionWithScore with a softNmsSigma',
          'Use softNmsSigma: 0, or gather the scores at the indices that it gives.',
        );
      }
      const gradient = (dys as tf.Tensor[])[1]!;
      return {
        boxes: () => tf.zeros(boxes.shape),
        scores: () => tf.scatterND(tf.reshape(chosen, [-1, 1]), gradient, scores.shape as never),
      };
    },
  },
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
