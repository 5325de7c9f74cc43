import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';
import { meanMetric } from './mean-metric.js';
import type { Metric } from './metric.js';
import {
  elementWeights,
  isChoice,
  isChosen,
  rightClass,
  rightRows,
  saidOf,
  truthOf,
  widthOf,
} from './truth.js';

/**
 * 1 where the prediction is right: by class for several outputs (one-hot or class numbers), else by 0.5. A prediction that
 * is NaN is wrong.
 */
export function accuracy(): Metric {
  return meanMetric('accuracy', (targets, outputs, context) => {
    const [isRight, isSaid] = isChoice(outputs, context)
      ? [tf.equal(tf.argMax(outputs, -1), rightClass(targets, outputs)), isChosen(outputs)]
      : [tf.equal(saidOf(outputs, context), truthOf(targets, outputs, context)), tf.equal(outputs, outputs)];
    return tf.cast(tf.logicalAnd(isRight, isSaid), 'float32');
  });
}

/** 1 where the right class is among the `k` most likely. A class whose score is NaN counts as likelier than the right one. */
export function topKAccuracy(k = 5): Metric {
  const name = `top-${k}-accuracy`;
  return {
    ...meanMetric(name, (targets, outputs) => {
      const width = widthOf(outputs);
      if (width === 1) throw oneNumber(name, outputs);
      const right = tf.cast(rightRows(targets, outputs), 'bool');
      // Not the sum of products: 0 times an infinite score is NaN.
      const score = tf.max(tf.where(right, outputs, Number.NEGATIVE_INFINITY), -1, true);
      const notBetter = tf.sum(tf.cast(tf.lessEqual(outputs, score), 'float32'), -1);
      return tf.cast(tf.greater(notBetter, width - Math.min(k, width)), 'float32');
    }),
    refuses: ({ multiLabel }) =>
      multiLabel
        ? 'it looks for the one right class, but with this loss each output is a separate yes or no. Use precision, recall or f1, or a loss between classes, such as "categoricalCrossentropy".'
        : undefined,
  };
}

function oneNumber(name: string, { shape }: tf.Tensor): Error {
  return trainerError(
    'BAD_METRIC',
    `Metric "${name}" needs a number for each class, but the output has shape [${shape}]. Use accuracy for a yes or no.`,
  );
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
      const said = isChoice(outputs, context) ? chosen(flat(outputs)) : flat(saidOf(outputs, context));
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

/** The class with the largest score, as rows; none where scores are NaN. */
function chosen(outputs: tf.Tensor): tf.Tensor {
  const rows = tf.cast(tf.oneHot(tf.argMax(outputs, -1), outputs.shape.at(-1)!), 'float32');
  return tf.mul(rows, tf.cast(tf.expandDims(isChosen(outputs), -1), 'float32'));
}

function share(part: number, rest: number): number {
  return part + rest === 0 ? 0 : part / (part + rest);
}
