import { BINARY_KERNELS } from './binary.js';
import { CHOOSE_KERNELS } from './choose.js';
import { CONV_KERNELS } from './conv.js';
import { CONV3D_KERNELS } from './conv3d.js';
import { CUMULATIVE_KERNELS } from './cumulative.js';
import { DEPTHWISE_KERNELS } from './depthwise.js';
import { DILATION2D_KERNELS } from './dilation2d.js';
import { EINSUM_KERNEL } from './einsum.js';
import { INDEXED_KERNELS } from './indexed.js';
import { MATMUL_KERNELS } from './matmul.js';
import { POOL_KERNELS } from './pool.js';
import { POOL3D_KERNELS } from './pool3d.js';
import { REARRANGE_KERNELS } from './rearrange.js';
import { REDUCE_KERNELS } from './reduce.js';
import type { TrainingKernel } from './training-kernel.js';
import { UNARY_KERNELS } from './unary.js';

/** Every kernel that is registered in place of a stock one, or where there was none. */
export const TRAINING_KERNELS: readonly TrainingKernel[] = [
  ...MATMUL_KERNELS,
  ...CONV_KERNELS,
  ...CONV3D_KERNELS,
  ...DEPTHWISE_KERNELS,
  ...POOL_KERNELS,
  ...POOL3D_KERNELS,
  ...DILATION2D_KERNELS,
  ...UNARY_KERNELS,
  ...BINARY_KERNELS,
  ...CHOOSE_KERNELS,
  ...REDUCE_KERNELS,
  ...REARRANGE_KERNELS,
  ...INDEXED_KERNELS,
  ...CUMULATIVE_KERNELS,
  EINSUM_KERNEL,
];
