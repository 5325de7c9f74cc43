import * as tf from '@tensorflow/tfjs-core';
import { alignWeights } from '../losses/align-weights.js';
import { isSparse, oneHot } from '../losses/target-shapes.js';
import { meanMetric } from './mean-metric.js';
import type { Metric, MetricContext, OutputMeaning } from './metric.js';

/** 1 where the prediction is right: by class for several outputs (one-hot or class numbers), else by 0.5. */
export function accuracy(): Metric {
  return meanMetric('accuracy', (targets, outputs, context) => {
    if (isChoice(outputs, context)) {
      return tf.cast(tf.equal(tf.argMax(outputs, -1), tf.argMax(rows(targets, outputs), -1)), 'float32');
    }
    const truth = truthOf(targets, outputs, context);
    return tf.cast(tf.equal(decided(context.probabilities()), truth), 'float32');
  });
}

/** 1 where the right class is among the `k` most likely. */
export function topKAccuracy(k = 5): Metric {
  return meanMetric(`top-${k}-accuracy`, (targets, outputs) => {
    const right = tf.sum(tf.mul(rows(targets, outputs), outputs), -1, true);
    const better = tf.sum(tf.cast(tf.greater(outputs, right), 'float32'), -1);
    return tf.cast(tf.less(better, k), 'float32');
  });
}

/** Of what was predicted to be of a class, how much is. With several classes the mean over those that occur. */
export function precision(): Metric {
  return counted('precision', ({ hits, wrong }) => share(hits, wrong));
}

/** Of what is of a class, how much was found. With several classes the mean over those that occur. */
export function recall(): Metric {
  return counted('recall', ({ hits, missed }) => share(hits, missed));
}

/** The harmonic mean of precision and recall. With several classes the mean over those that occur. */
export function f1(): Metric {
  return counted('f1', ({ hits, wrong, missed }) => share(2 * hits, wrong + missed));
}

/**
 * The area under the ROC curve, from the scores sorted into `bins`: exact up to scores that share a bin. With several
 * classes or labels, over all of their scores together.
 */
export function auc({ bins = 256 }: { bins?: number } = {}): Metric {
  return {
    name: 'auc',
    update: (targets, outputs, context) => {
      const scores = tf.clipByValue(tf.reshape(context.probabilities(), [-1]), 0, 1);
      const bin = tf.cast(tf.minimum(tf.floor(tf.mul(positionOf(scores), bins)), bins - 1), 'int32');
      const counts = tf.cast(tf.oneHot(tf.reshape(bin, [-1]), bins), 'float32');
      const positive = tf.reshape(truthOf(targets, outputs, context), [-1, 1]);
      const negative = tf.sub(1, positive);
      const weights = elementWeights(context, outputs);
      const weighted = (part: tf.Tensor) => (weights ? tf.mul(part, tf.reshape(weights, [-1, 1])) : part);
      return tf.stack([positive, negative].map((part) => tf.sum(tf.mul(counts, weighted(part)), 0)));
    },
    result: (sums) => areaUnderCurve(sums.slice(0, bins), sums.slice(bins)),
  };
}

/** Logits beyond this share the outermost bins. */
const FARTHEST_LOGIT = 16;

/**
 * Where a probability lies between 0 and 1, by halves as a number and as a logit. The scores of a rare class crowd near 0:
 * in equal steps of probability most of them would share a bin.
 */
function positionOf(scores: tf.Tensor): tf.Tensor {
  const logits = tf.sub(tf.log(scores), tf.log1p(tf.neg(scores)));
  const shares = tf.div(
    tf.add(tf.clipByValue(logits, -FARTHEST_LOGIT, FARTHEST_LOGIT), FARTHEST_LOGIT),
    2 * FARTHEST_LOGIT,
  );
  return tf.div(tf.add(scores, shares), 2);
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

interface ClassCounts {
  hits: number;
  wrong: number;
  missed: number;
}

/** A metric of the hits, wrong alarms and misses of each class, which are added up over the batches. */
function counted(name: string, ofClass: (counts: ClassCounts) => number): Metric {
  return {
    name,
    update: (targets, outputs, context) => {
      const width = widthOf(outputs);
      const flat = (values: tf.Tensor) => tf.reshape(values, [-1, width]);
      const truth = flat(truthOf(targets, outputs, context));
      const said = isChoice(outputs, context)
        ? tf.cast(tf.oneHot(tf.argMax(flat(outputs), -1), width), 'float32')
        : decided(flat(context.probabilities()));
      const weights = elementWeights(context, outputs);
      const weighted = (values: tf.Tensor) => (weights ? tf.mul(values, flat(weights)) : values);
      const [saidSum, truthSum] = [said, truth].map((values) => tf.sum(weighted(values), 0));
      const hits = tf.sum(weighted(tf.mul(truth, said)), 0);
      return tf.stack([hits, tf.sub(saidSum!, hits), tf.sub(truthSum!, hits)]);
    },
    result: (sums) => {
      const width = sums.length / 3;
      const classes = Array.from({ length: width }, (_, index) => ({
        hits: sums[index]!,
        wrong: sums[width + index]!,
        missed: sums[2 * width + index]!,
      }));
      // A class that neither occurs nor is predicted says nothing about the classifier.
      const seen = classes.filter(({ hits, wrong, missed }) => hits + wrong + missed > 0);
      return seen.length === 0 ? 0 : seen.reduce((sum, counts) => sum + ofClass(counts), 0) / seen.length;
    },
  };
}

function share(part: number, rest: number): number {
  return part + rest === 0 ? 0 : part / (part + rest);
}

/** Whether the last dimension is one choice between classes, rather than a yes or no for each number. */
function isChoice(outputs: tf.Tensor, { multiLabel = false }: OutputMeaning): boolean {
  return widthOf(outputs) > 1 && !multiLabel;
}

function widthOf({ rank, shape }: tf.Tensor): number {
  return rank > 1 ? shape.at(-1)! : 1;
}

function rows(targets: tf.Tensor, outputs: tf.Tensor): tf.Tensor {
  return isSparse(targets, outputs) ? oneHot(targets, outputs) : targets;
}

/** 0 or 1 for each number of the outputs. */
function truthOf(targets: tf.Tensor, outputs: tf.Tensor, context: MetricContext): tf.Tensor {
  const each = isChoice(outputs, context) ? rows(targets, outputs) : targets;
  const truth = tf.reshape(tf.cast(each, 'float32'), outputs.shape);
  return context.signed ? decided(tf.add(truth, 0.5)) : truth;
}

function decided(probabilities: tf.Tensor): tf.Tensor {
  return tf.cast(tf.greater(probabilities, 0.5), 'float32');
}

/** The weight of each number of the outputs. */
function elementWeights({ weights }: MetricContext, outputs: tf.Tensor): tf.Tensor | undefined {
  return weights && tf.broadcastTo(alignWeights(weights, outputs) ?? weights, outputs.shape);
}
