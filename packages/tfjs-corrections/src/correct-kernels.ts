import { correctCpuKernels } from './cpu/correct-cpu-kernels.js';
import { correctNativeKernels } from './tensorflow/correct-native-kernels.js';
import { correctWebgpuKernels } from './webgpu/correct-webgpu-kernels.js';

/**
 * Corrects the kernels of every backend that is loaded: cpu, those of tfjs-node and tfjs-node-gpu, and webgpu. Call it again
 * when another backend has been loaded; what is corrected already stays.
 */
export function correctKernels(): void {
  correctCpuKernels();
  correctNativeKernels();
  correctWebgpuKernels();
}
