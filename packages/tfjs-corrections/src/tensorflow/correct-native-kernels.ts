import * as tf from '@tensorflow/tfjs-core';
import { CONVOLUTION_KERNELS } from './convolution.js';
import { EINSUM, GATHER } from './indexing.js';
import { MULTINOMIAL } from './multinomial.js';
import { byCpu, type NativeFunc, type NativeKernel } from './native-kernel.js';
import { MAX_POOL3D_GRADIENT, POOLING_KERNELS } from './pooling.js';

const BACKEND = 'tensorflow';
const CORRECTED: unique symbol = Symbol.for('hookline.native-kernel');

const KERNELS: readonly NativeKernel[] = [
  ...CONVOLUTION_KERNELS,
  ...POOLING_KERNELS,
  MAX_POOL3D_GRADIENT,
  EINSUM,
  GATHER,
  MULTINOMIAL,
];

/**
 * Lets the backend of tfjs-node and tfjs-node-gpu compute what cpu and wasm compute: what its kernels refuse is composed of
 * others or left to cpu, as are the kernels that it lacks. Does nothing where that backend is not loaded; a second call
 * changes nothing.
 */
export function correctNativeKernels(): void {
  if (tf.findBackendFactory(BACKEND) === null) return;
  for (const { name, correct } of KERNELS) {
    const stock = tf.getKernel(name, BACKEND);
    if (!stock || CORRECTED in stock.kernelFunc) continue;
    const corrected = correct(stock.kernelFunc as unknown as NativeFunc);
    const kernelFunc = Object.assign(corrected as unknown as tf.KernelFunc, { [CORRECTED]: true });
    tf.unregisterKernel(name, BACKEND);
    tf.registerKernel({ ...stock, kernelFunc });
  }
  for (const { kernelName } of tf.getKernelsForBackend('cpu')) {
    if (tf.getKernel(kernelName, BACKEND)) continue;
    const kernelFunc = byCpu(kernelName) as unknown as tf.KernelFunc;
    tf.registerKernel({ kernelName, backendName: BACKEND, kernelFunc });
  }
}
