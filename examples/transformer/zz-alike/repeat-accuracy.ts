import type { Metric } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';

/** Of the positions whose next letter can be known, the share at which the model's first choice is right. */
export const repeatAccuracy: Metric = {
  name: 'accuracy',
  update: (targets, logits) => tf.stack([right(targets, logits), asked(targets)]),
  result: ([hits, questions]) => hits! / questions!,
};

/** The same of one batch. */
export function accuracyOf(targets: tf.Tensor, logits: tf.Tensor): tf.Tensor {
  return tf.div(right(targets, logits), asked(targets));
}

/** No letter has the number -1: where nothing is asked, nothing is right. */
function right(targets: tf.Tensor, logits: tf.Tensor): tf.Tensor {
  return tf.sum(tf.cast(tf.equal(tf.argMax(logits, -1), targets), 'float32'));
}

function asked(targets: tf.Tensor): tf.Tensor {
  return tf.sum(tf.cast(tf.greaterEqual(targets, 0), 'float32'));
}
