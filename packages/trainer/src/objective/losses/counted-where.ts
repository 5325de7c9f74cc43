import * as tf from '@tensorflow/tfjs-core';
import { timesWeights } from './align-weights.js';
import type { OutputAndTarget } from './outputs-and-targets.js';

/** 1 where something counts; 0 where the output is masked or its label is ignored. Undefined where all of it counts. */
export function countedWhere(
  { target, mask }: Pick<OutputAndTarget, 'target' | 'mask'>,
  ignoreLabel: number | undefined,
): tf.Tensor | undefined {
  const isThere = mask && tf.cast(mask, 'float32');
  if (ignoreLabel === undefined) return isThere;
  const isKnown = tf.cast(tf.notEqual(target, ignoreLabel), 'float32');
  return isThere ? timesWeights(isKnown, isThere) : isKnown;
}
