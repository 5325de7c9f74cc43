import * as tf from '@tensorflow/tfjs-core';
import { type CpuKernel, valuesOf } from './cpu-kernel.js';

/**
 * In stock tfjs a cast to float32 shares the int32 data of its operand, and when that moves to another backend its bits
 * are read as floats: targets that were made on cpu are then all 0. Here the data is converted.
 */
export const CAST: CpuKernel = {
  name: tf.Cast,
  correct: (stock) => (args) => {
    const { inputs, backend } = args;
    const result = stock(args);
    const x = inputs.x!;
    if (result.dataId !== x.dataId || result.dtype === x.dtype) return result;
    const numbers = valuesOf(backend, x);
    const own = result.dtype === 'float32' ? Float32Array.from(numbers) : Int32Array.from(numbers);
    backend.disposeIntermediateTensorInfo(result);
    return backend.makeTensorInfo(result.shape, result.dtype, own);
  },
};
