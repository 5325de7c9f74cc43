import { completeChainedOps } from './chained-ops.js';
import { correctKernels } from './correct-kernels.js';
import { registerGradients } from './gradients/register-gradients.js';

/**
 * Corrects tfjs for the whole process: missing and wrong gradients, methods of tensors that tfjs-layers needs, and
 * wrong or
 * missing kernels of the backends that are loaded. Call it once before you build a model, and again if another tfjs package is loaded later. What goes
 * wrong in the layers of a model is corrected by `correctLayers`.
 */
export function correctTfjs(): void {
  completeChainedOps();
  correctKernels();
  registerGradients();
}
