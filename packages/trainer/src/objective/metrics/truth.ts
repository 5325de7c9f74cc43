import * as tf from '@tensorflow/tfjs-core';
import { alignWeights } from '../losses/align-weights.js';
import { classNumbers, isSparse, oneHot } from '../losses/target-shapes.js';
import type { MetricContext, OutputMeaning } from './metric.js';

/** Whether the last dimension is one choice between classes, rather than a yes or no for each number. */
export function isChoice(outputs: tf.Tensor, { multiLabel = false }: OutputMeaning): boolean {
  return widthOf(outputs) > 1 && !multiLabel;
}

export function widthOf({ rank, shape }: tf.Tensor): number {
  return rank > 1 ? shape.at(-1)! : 1;
}

/** The right class of each choice. Of probabilities, the likeliest is taken for right, as in Keras. */
export function rightClass(targets: tf.Tensor, outputs: tf.Tensor): tf.Tensor {
  return isSparse(targets, outputs) ? classNumbers(targets, outputs) : tf.argMax(targets, -1);
}

/** The right class of each choice, as rows of zeros and a one. */
export function rightRows(targets: tf.Tensor, outputs: tf.Tensor): tf.Tensor {
  if (isSparse(targets, outputs)) return oneHot(targets, outputs);
  return tf.cast(tf.oneHot(tf.argMax(targets, -1), outputs.shape.at(-1)!), 'float32');
}

/** 0 or 1 for each number of the outputs. */
export function truthOf(targets: tf.Tensor, outputs: tf.Tensor, context: OutputMeaning): tf.Tensor {
  if (isChoice(outputs, context)) return tf.reshape(rightRows(targets, outputs), outputs.shape);
  const yes = tf.greater(tf.cast(targets, 'float32'), context.signed ? 0 : 0.5);
  return tf.reshape(tf.cast(yes, 'float32'), outputs.shape);
}

/** 0 or 1 for each number of outputs that are a yes or no: the side of one half that they are on, or of 0. */
export function saidOf(outputs: tf.Tensor, { logits, signed }: OutputMeaning): tf.Tensor {
  return tf.cast(tf.greater(outputs, logits || signed ? 0 : 0.5), 'float32');
}

/** Whether a choice is one: without it, the largest of scores that are NaN would be the first. */
export function isChosen(outputs: tf.Tensor): tf.Tensor {
  return tf.all(tf.equal(outputs, outputs), -1);
}

/** The weight of each number of the outputs. */
export function elementWeights({ weights }: MetricContext, outputs: tf.Tensor): tf.Tensor | undefined {
  return weights && tf.broadcastTo(alignWeights(weights, outputs) ?? weights, outputs.shape);
}
