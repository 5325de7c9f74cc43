import * as tf from '@tensorflow/tfjs-core';

/**
 * Stock has none. The gradient of an operand is the product of the result's gradient and the other operand, summed
 * over the axes that the operand does not have.
 */
export const EINSUM_GRADIENT: tf.GradConfig = {
  kernelName: tf.Einsum,
  saveAllInputs: true,
  gradFunc: (dy, operands, { equation }) => {
    const [left, result] = (equation as string).replaceAll(' ', '').split('->') as [string, string];
    const labels = left.split(',');
    return Object.fromEntries(
      operands.map((operand, index) => [
        index,
        () => {
          const other = operands.length === 2 ? operands[1 - index] : undefined;
          return operandGradient(
            { labels: result, tensor: dy as tf.Tensor },
            other && { labels: labels[1 - index]!, tensor: other },
            { labels: labels[index]!, tensor: operand },
          );
        },
      ]),
    );
  },
};

interface Labelled {
  labels: string;
  tensor: tf.Tensor;
}

function operandGradient(result: Labelled, other: Labelled | undefined, operand: Labelled): tf.Tensor {
  const known = result.labels + (other?.labels ?? '');
  const kept = [...operand.labels].filter((label) => known.includes(label)).join('');
  const product = contract(result, other, kept);
  // An axis that only the operand has was summed over: each of its elements has the same gradient.
  const { shape } = operand.tensor;
  const sizes = [...operand.labels].map((label, axis) => (kept.includes(label) ? shape[axis]! : 1));
  return tf.broadcastTo(tf.reshape(product, sizes), shape as never);
}

/** The product of the two, summed over all axes that are not kept. The einsum of tfjs fails on some of these. */
function contract(result: Labelled, other: Labelled | undefined, kept: string): tf.Tensor {
  const labels = [...new Set(kept + result.labels + (other?.labels ?? ''))];
  const product = other ? tf.mul(aligned(result, labels), aligned(other, labels)) : aligned(result, labels);
  const summed = labels.map((_, axis) => axis).slice(kept.length);
  return summed.length === 0 ? product : tf.sum(product, summed);
}

/** The tensor with its axes in the order of the labels, of size 1 where it has none. */
function aligned({ labels, tensor }: Labelled, order: readonly string[]): tf.Tensor {
  const present = order.filter((label) => labels.includes(label));
  const transposed = tf.transpose(
    tensor,
    present.map((label) => labels.indexOf(label)),
  );
  const sizes = order.map((label) => (labels.includes(label) ? tensor.shape[labels.indexOf(label)]! : 1));
  return tf.reshape(transposed, sizes);
}
