import { ATTENTION_KERNELS } from './attention.js';
import { ACTIVATION_GRADIENT_KERNEL } from './fused-gradient.js';
import { LOSS_KERNELS } from './loss.js';
import { NORM_KERNELS } from './norm.js';
import { RECURRENT_KERNELS } from './recurrent.js';
import { SLOPE_KERNELS } from './slope.js';
import type { TrainingKernel } from './training-kernel.js';

/** Kernels that tfjs has no name for: fused layers, losses and gradients are made of them. */
export const OWN_KERNELS: readonly TrainingKernel[] = [
  ACTIVATION_GRADIENT_KERNEL,
  ...SLOPE_KERNELS,
  ...NORM_KERNELS,
  ...RECURRENT_KERNELS,
  ...LOSS_KERNELS,
  ...ATTENTION_KERNELS,
];
