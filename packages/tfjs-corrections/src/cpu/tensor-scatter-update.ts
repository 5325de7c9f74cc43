import * as tf from '@tensorflow/tfjs-core';
import { type CpuKernel, valuesOf } from './cpu-kernel.js';

/** Stock writes into its operand, which may be a weight or data that is used again. Here it gets a copy. */
export const TENSOR_SCATTER_UPDATE: CpuKernel = {
  name: tf.TensorScatterUpdate,
  correct: (stock) => (args) => {
    const { inputs, backend } = args;
    const { shape, dtype } = inputs.tensor!;
    const copy = backend.makeTensorInfo(shape, dtype, valuesOf(backend, inputs.tensor!).slice());
    const result = stock({ ...args, inputs: { ...inputs, tensor: copy } });
    backend.disposeIntermediateTensorInfo(copy);
    return result;
  },
};
