import type { PathFilter, TapSpec } from '@hookline/layer-taps';
import * as tf from '@tensorflow/tfjs-core';
import type { ActivationCache } from './activation-cache.js';
import { type Part, replacePart } from './part-of.js';

/**
 * `zero`: zeros. `mean`: the mean over the batch. `noise`: normal noise with the mean and deviation of the activation
 * itself.
 */
export type Ablation = 'zero' | 'mean' | 'noise';

export interface AblateOptions {
  /** Only these positions, such as one head or one token. Default all. */
  at?: Part;
  /** Where the mean is taken from: a run on other, usual data. Default the run itself. */
  from?: ActivationCache;
  /** Of the noise. Default 1: the same noise in every run. */
  seed?: number;
}

/**
 * Takes away what a layer says, to see whether anybody listened.
 *
 * @example run(model, x, { taps: [ablate('block_1/heads', 'mean', { at: { axis: 1, index: 3 } })] })
 */
export function ablate(filter: PathFilter, how: Ablation = 'zero', options: AblateOptions = {}): TapSpec {
  return [
    filter,
    ({ path, callIndex, outputs }) =>
      outputs.map((output, index) => {
        const reference = options.from?.outputs(path, callIndex)[index] ?? output;
        const seed = (options.seed ?? 1) + callIndex;
        return replacePart(path, output, ablated(how, output, reference, seed), options.at);
      }),
  ];
}

function ablated(how: Ablation, output: tf.Tensor, reference: tf.Tensor, seed: number): tf.Tensor {
  switch (how) {
    case 'zero':
      return tf.zerosLike(output);
    case 'mean':
      return tf.broadcastTo(tf.mean(reference, 0, true), output.shape);
    case 'noise': {
      const { mean, variance } = tf.moments(reference);
      const noise = tf.randomNormal(output.shape, 0, 1, 'float32', seed);
      return tf.add(mean, tf.mul(noise, tf.sqrt(variance)));
    }
  }
}
