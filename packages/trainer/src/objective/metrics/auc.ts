import * as tf from '@tensorflow/tfjs-core';
import type { Metric, MetricContext } from './metric.js';
import { elementWeights, truthOf } from './truth.js';

/**
 * The area under the ROC curve, from the scores sorted into `bins`: exact up to scores that share a bin. With several
 * classes or labels, over all of their scores together. NaN where a score is.
 */
export function auc({ bins = 256 }: { bins?: number } = {}): Metric {
  return {
    name: 'auc',
    update: (targets, outputs, context) => {
      const scores = tf.reshape(scoresOf(outputs, context), [-1]);
      const [position, all] = hasScale(context)
        ? [shareOfProbability(scores), bins]
        : [shareOfScore(scores), 3 * bins];
      const bin = tf.cast(tf.minimum(tf.floor(tf.mul(position, all)), all - 1), 'int32');
      const counts = tf.cast(tf.oneHot(bin as tf.Tensor1D, all), 'float32');
      const isNumber = tf.equal(scores, scores);
      const positive = tf.where(isNumber, tf.reshape(truthOf(targets, outputs, context), [-1]), Number.NaN);
      const weights = elementWeights(context, outputs);
      const parts = tf.stack([positive, tf.sub(1, positive)]);
      return tf.matMul(weights ? tf.mul(parts, tf.reshape(weights, [1, -1])) : parts, counts);
    },
    result: (sums) => areaUnderCurve(sums.slice(0, sums.length / 2), sums.slice(sums.length / 2)),
  };
}

/** Logits order scores as probabilities do, but of classes only those of one sample. */
function scoresOf(outputs: tf.Tensor, { logits, probabilities }: MetricContext): tf.Tensor {
  return logits ? probabilities() : outputs;
}

function hasScale({ outputs }: MetricContext): boolean {
  return outputs === 'probabilities' || outputs === 'logits';
}

/** Logits beyond this share the outermost bins. */
const FARTHEST_LOGIT = 16;

/**
 * Where a probability lies between 0 and 1, by halves as a number and as a logit. The scores of a rare class crowd near 0:
 * in equal steps of probability most of them would share a bin.
 */
function shareOfProbability(scores: tf.Tensor): tf.Tensor {
  const within = tf.clipByValue(scores, 0, 1);
  const logits = tf.sub(tf.log(within), tf.log1p(tf.neg(within)));
  const shares = tf.div(
    tf.add(tf.clipByValue(logits, -FARTHEST_LOGIT, FARTHEST_LOGIT), FARTHEST_LOGIT),
    2 * FARTHEST_LOGIT,
  );
  return tf.div(tf.add(within, shares), 2);
}

/** Scores that are farther than this from 0 and 1 share the outermost bins. */
const FARTHEST_SCORE = 1e4;

/**
 * Where a score without a scale lies among all numbers. It may be a probability after all: these have the middle third, as
 * many bins as above. What is below 0 or above 1 has a third each, in steps that grow with the distance.
 */
function shareOfScore(scores: tf.Tensor): tf.Tensor {
  const beyond = tf.sub(shareOfDistance(tf.sub(scores, 1)), shareOfDistance(tf.neg(scores)));
  return tf.div(tf.add(tf.add(shareOfProbability(scores), beyond), 1), 3);
}

/** From 0 to 1, by halves for what is near and for what is far. */
function shareOfDistance(distance: tf.Tensor): tf.Tensor {
  const within = tf.clipByValue(distance, 0, FARTHEST_SCORE);
  const near = tf.div(within, tf.add(within, 1));
  const far = tf.div(tf.log1p(within), Math.log1p(FARTHEST_SCORE));
  return tf.div(tf.add(near, far), 2);
}

/** The chance that a positive scores higher than a negative; in the same bin, half of it. */
function areaUnderCurve(positives: readonly number[], negatives: readonly number[]): number {
  let below = 0;
  let won = 0;
  for (const [bin, positive] of positives.entries()) {
    won += positive * (below + negatives[bin]! / 2);
    below += negatives[bin]!;
  }
  return won / (below * positives.reduce((sum, count) => sum + count, 0));
}
