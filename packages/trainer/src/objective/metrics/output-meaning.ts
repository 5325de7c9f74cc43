import * as tf from '@tensorflow/tfjs-core';
import type { LossName } from '../losses/losses.js';
import type { MetricContext, OutputMeaning } from './metric.js';

const MEANINGS: Partial<Record<LossName, OutputMeaning>> = {
  binaryCrossentropy: { multiLabel: true },
  sigmoidCrossentropy: { logits: 'sigmoid', multiLabel: true },
  softmaxCrossentropy: { logits: 'softmax' },
  sparseSoftmaxCrossentropy: { logits: 'softmax' },
  hinge: { signed: true, multiLabel: true },
  squaredHinge: { signed: true, multiLabel: true },
};

/** What an output is that has this loss. A loss of the user's own says nothing: outputs are taken as they are. */
export function meaningOf(loss: unknown): OutputMeaning {
  return (typeof loss === 'string' && MEANINGS[loss as LossName]) || {};
}

/** Probabilities are computed when a metric first asks for them, and once for all metrics of the output. */
export function metricContext(
  meaning: OutputMeaning,
  outputs: tf.Tensor,
  weights: tf.Tensor | undefined,
): MetricContext {
  let known: tf.Tensor | undefined;
  return {
    ...meaning,
    weights,
    probabilities: () => {
      known ??= probabilitiesOf(meaning, outputs);
      return known;
    },
  };
}

function probabilitiesOf({ logits, signed }: OutputMeaning, outputs: tf.Tensor): tf.Tensor {
  if (logits === 'softmax') return tf.softmax(outputs);
  // A sigmoid keeps the order of signed scores, and turns their sign into more or less than one half.
  return logits === 'sigmoid' || signed ? tf.sigmoid(outputs) : outputs;
}
