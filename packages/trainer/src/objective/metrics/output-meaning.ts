import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';
import type { LossName } from '../losses/losses.js';
import type { MetricContext, OutputMeaning } from './metric.js';

const NUMBERS: OutputMeaning = { outputs: 'numbers' };
const PROBABILITIES: OutputMeaning = { outputs: 'probabilities' };
const SIGNED: OutputMeaning = { outputs: 'scores', signed: true, multiLabel: true };

/** Every loss says what its outputs are: a metric that does not know would measure something else. */
const MEANINGS: Record<LossName, OutputMeaning> = {
  meanSquaredError: NUMBERS,
  meanAbsoluteError: NUMBERS,
  meanAbsolutePercentageError: NUMBERS,
  meanSquaredLogarithmicError: NUMBERS,
  huber: NUMBERS,
  logcosh: NUMBERS,
  poisson: NUMBERS,
  cosineProximity: NUMBERS,
  binaryCrossentropy: { ...PROBABILITIES, multiLabel: true },
  sigmoidCrossentropy: { outputs: 'logits', logits: 'sigmoid', multiLabel: true },
  categoricalCrossentropy: PROBABILITIES,
  sparseCategoricalCrossentropy: { ...PROBABILITIES, sparse: true },
  softmaxCrossentropy: { outputs: 'logits', logits: 'softmax' },
  sparseSoftmaxCrossentropy: { outputs: 'logits', logits: 'softmax', sparse: true },
  kullbackLeiblerDivergence: PROBABILITIES,
  hinge: SIGNED,
  squaredHinge: SIGNED,
  categoricalHinge: { outputs: 'scores' },
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

function probabilitiesOf({ logits, outputs: kind }: OutputMeaning, outputs: tf.Tensor): tf.Tensor {
  if (kind === 'scores') {
    throw trainerError(
      'BAD_METRIC',
      'A metric asks for probabilities, but with a hinge loss the outputs are scores, which cannot be made probabilities. Measure the scores, or train with a cross-entropy.',
    );
  }
  if (logits === 'softmax') return tf.softmax(outputs);
  return logits === 'sigmoid' ? tf.sigmoid(outputs) : outputs;
}
