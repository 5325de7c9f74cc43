import * as tf from '@tensorflow/tfjs-core';
import { BROADCAST_GRADIENTS } from './broadcast.js';
import { CONV3D_TRANSPOSE_GRADIENT, MENDED_CONVOLUTION_GRADIENTS } from './convolution.js';
import { CUMPROD_GRADIENT, MENDED_CUMULATIVE_GRADIENTS } from './cumulative.js';
import { EINSUM_GRADIENT } from './einsum.js';
import { INDEXED_GRADIENTS, MENDED_INDEXED_GRADIENTS } from './indexed.js';
import { MENDED_ZERO_GRADIENTS, ZERO_GRADIENTS } from './not-differentiable.js';
import { MAX_POOL_WITH_ARGMAX_GRADIENT, MENDED_POOLING_GRADIENTS } from './pooling.js';
import { MENDED_REARRANGED_GRADIENTS, REARRANGED_GRADIENTS } from './rearranged.js';
import { REFUSED_GRADIENTS } from './refused.js';
import { MENDED_RESIZE_GRADIENTS } from './resize.js';
import { SAMPLED_IMAGE_GRADIENTS } from './sampled-images.js';
import { SECOND_ORDER_GRADIENTS } from './second-order.js';
import { SEGMENT_GRADIENTS } from './segments.js';
import { STRIDED_SLICE_GRADIENT } from './strided-slice.js';
import { orderTape } from './tape-order.js';
import { MENDED_TIE_GRADIENTS } from './ties.js';

/** tfjs 4.22 has none. Registered unless somebody else already has. Some are only an error that says what to do. */
const MISSING: readonly tf.GradConfig[] = [
  ...ZERO_GRADIENTS,
  ...INDEXED_GRADIENTS,
  ...REARRANGED_GRADIENTS,
  CONV3D_TRANSPOSE_GRADIENT,
  CUMPROD_GRADIENT,
  ...SAMPLED_IMAGE_GRADIENTS,
  ...SECOND_ORDER_GRADIENTS,
  ...SEGMENT_GRADIENTS,
  EINSUM_GRADIENT,
  MAX_POOL_WITH_ARGMAX_GRADIENT,
  STRIDED_SLICE_GRADIENT,
  ...REFUSED_GRADIENTS,
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
 * Also makes gradients of gradients complete.
 * What trained correctly before trains as before. Call it before each run, because loading another tfjs package in the
 * meantime (tfjs-node does this) registers the stock gradients again. A second call changes nothing.
 */
export function registerGradients(): void {
  orderTape();
  for (const gradient of MISSING) {
    if (!tf.getGradient(gradient.kernelName)) tf.registerGradient(gradient);
  }
  for (const gradient of WRONG) {
    if (tf.getGradient(gradient.kernelName) !== gradient) tf.registerGradient(gradient);
  }
}
