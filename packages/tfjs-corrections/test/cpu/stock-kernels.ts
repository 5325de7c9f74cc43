import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';

const stock = await useBackend('cpu').then(() => tf.getKernelsForBackend('cpu'));

/** Undoes what `correctCpuKernels` did. Import it before anything corrects kernels. */
export function useStockKernels(): void {
  for (const kernel of stock) {
    if (tf.getKernel(kernel.kernelName, 'cpu') === kernel) continue;
    tf.unregisterKernel(kernel.kernelName, 'cpu');
    tf.registerKernel(kernel);
  }
}
