import * as tf from '@tensorflow/tfjs-core';
import { BROADCAST_GRADIENTS } from './broadcast.js';
import { CONV3D_TRANSPOSE_GRADIENT, MENDED_CONVOLUTION_GRADIENTS } from './convolution.js';
import { CUMPROD_GRADIENT, MENDED_CUMULATIVE_GRADIENTS } from './cumulative.js';
import { EINSUM_GRADIENT } from './einsum.js';
import { INDEXED_GRADIENTS, MENDED_INDEXED_GRADIENTS } from './indexed.js';
import { MENDED_ZERO_GRADIENTS, ZERO_GRADIENTS } from './not-differentiable.js';
import { MAX_POOL_WITH_ARGMAX_GRADIENT, MENDED_POOLING_GRADIENTS } from './pooling.js';
import { MENDED_REARRANGED_GRADIENTS, REARRANGED_GRADIENTS } from './rearranged.js';
import { MENDED_RESIZE_GRADIENTS } from './resize.js';
import { STRIDED_SLICE_GRADIENT } from './strided-slice.js';
import { MENDED_TIE_GRADIENTS } from './ties.js';

/** tfjs 4.22 has none. Registered unless somebody else already has. */
const MISSING: readonly tf.GradConfig[] = [
  ...ZERO_GRADIENTS,
  ...INDEXED_GRADIENTS,
  ...REARRANGED_GRADIENTS,
  CONV3D_TRANSPOSE_GRADIENT,
  CUMPROD_GRADIENT,
  EINSUM_GRADIENT,
  MAX_POOL_WITH_ARGMAX_GRADIENT,
  STRIDED_SLICE_GRADIENT,
];

/** tfjs 4.22 has wrong ones, which are replaced. */
const WRONG: readonly tf.GradConfig[] = [
  ...BROADCAST_GRADIENTS,
  ...MENDED_CONVOLUTION_GRADIENTS,
  ...MENDED_CUMULATIVE_GRADIENTS,
  ...MENDED_INDEXED_GRADIENTS,
  ...MENDED_POOLING_GRADIENTS,
  ...MENDED_REARRANGED_GRADIENTS,
  ...MENDED_RESIZE_GRADIENTS,
  ...MENDED_TIE_GRADIENTS,
  ...MENDED_ZERO_GRADIENTS,
];

/**
 * Adds the gradients that tfjs lacks and replaces those that are wrong, for the whole process: tfjs has one registry.
 * What trained correctly before trains as before. Call it before each run, because loading another tfjs package in the
 * meantime (tfjs-node does this) registers the stock gradients again. A second call changes nothing.
 */
export function registerGradients(): void {
  for (const gradient of MISSING) {
    if (!tf.getGradient(gradient.kernelName)) tf.registerGradient(gradient);
  }
  for (const gradient of WRONG) {
    if (tf.getGradient(gradient.kernelName) !== gradient) tf.registerGradient(gradient);
  }
}
