import type { PathFilter, TapSpec } from '@hookline/layer-taps';
import * as tf from '@tensorflow/tfjs-core';
import { type Part, replacePart } from './part-of.js';

export interface SteerOptions {
  /** How many times the vector is added. Default 1; negative to steer away. */
  strength?: number;
  /** Only these positions, such as the last token. Default all. */
  at?: Part;
}

/**
 * Adds a vector to an activation: a direction in which to push the model, such as the difference of two means. It is
 * added to every sample, as tf.add broadcasts. Of several outputs, the first is steered.
 *
 * @example run(model, x, { taps: [steer('block_1/out', direction, { strength: 4 })] })
 */
export function steer(
  filter: PathFilter,
  vector: tf.Tensor | readonly number[],
  { strength = 1, at }: SteerOptions = {},
): TapSpec {
  return [
    filter,
    ({ path, output, outputs: [, ...others] }) => {
      const direction = Array.isArray(vector) ? tf.tensor1d(vector as number[]) : (vector as tf.Tensor);
      const steered = tf.add(output, tf.mul(direction, strength));
      return [replacePart(path, output, steered, at), ...others];
    },
  ];
}
