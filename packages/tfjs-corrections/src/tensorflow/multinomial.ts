import * as tf from '@tensorflow/tfjs-core';
import { byCpu, type NativeKernel } from './native-kernel.js';

/**
 * With the same seed TensorFlow goes on where it was, so that a run with a seed is not the same twice; and tfjs-node refuses
 * probabilities. On cpu the same seed gives the same samples.
 */
export const MULTINOMIAL: NativeKernel = {
  name: tf.Multinomial,
  correct: () => byCpu(tf.Multinomial),
};
