import * as tf from '@tensorflow/tfjs-core';
import { AVG_POOL_GRADIENT } from './avg-pool-gradient.js';
import { CAST } from './cast.js';
import type { CpuArgs, CpuKernel } from './cpu-kernel.js';
import { EMPTY_REDUCTIONS } from './empty-reductions.js';
import { MAT_MUL_KERNELS } from './mat-mul.js';
import { MAX_POOL3D_GRADIENT } from './max-pool3d-gradient.js';
import { SAME_PADDING3D_KERNELS } from './same-padding3d.js';
import { TENSOR_SCATTER_UPDATE } from './tensor-scatter-update.js';
import { TRANSFORM } from './transform.js';

const CORRECTED: unique symbol = Symbol.for('hookline.cpu-kernel');

const KERNELS: readonly CpuKernel[] = [
  CAST,
  ...MAT_MUL_KERNELS,
  AVG_POOL_GRADIENT,
  MAX_POOL3D_GRADIENT,
  ...SAME_PADDING3D_KERNELS,
  ...EMPTY_REDUCTIONS,
  TENSOR_SCATTER_UPDATE,
  TRANSFORM,
];

/**
 * Corrects the kernels of the cpu backend that give wrong results without an error. Does nothing where that backend is
 * not loaded; a second call changes nothing.
 */
export function correctCpuKernels(): void {
  for (const { name, correct } of KERNELS) {
    const stock = tf.getKernel(name, 'cpu');
    if (!stock || CORRECTED in stock.kernelFunc) continue;
    const corrected = correct(stock.kernelFunc as unknown as (args: CpuArgs) => tf.TensorInfo);
    const kernelFunc = Object.assign(corrected as unknown as tf.KernelFunc, { [CORRECTED]: true });
    tf.unregisterKernel(name, 'cpu');
    tf.registerKernel({ ...stock, kernelFunc });
  }
}
