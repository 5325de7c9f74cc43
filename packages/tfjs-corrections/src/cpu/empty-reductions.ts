import * as tf from '@tensorflow/tfjs-core';
import type { CpuKernel } from './cpu-kernel.js';

/** What an axis without elements gives, as in TensorFlow and NumPy. Stock reads past the end: a mean is 0, `all` false. */
export const EMPTY_REDUCTIONS: readonly CpuKernel[] = [
  reduction(tf.Mean, () => Number.NaN),
  reduction(tf.Max, (dtype) => (dtype === 'float32' ? Number.NEGATIVE_INFINITY : lowest(dtype))),
  reduction(tf.Min, (dtype) => (dtype === 'float32' ? Number.POSITIVE_INFINITY : highest(dtype))),
  reduction(tf.All, () => 1),
];

function reduction(name: string, ofNone: (dtype: tf.DataType) => number): CpuKernel {
  return {
    name,
    correct: (stock) => (args) => {
      const result = stock(args);
      if (!args.inputs.x!.shape.includes(0) || result.shape.includes(0)) return result;
      const { shape, dtype } = result;
      args.backend.disposeIntermediateTensorInfo(result);
      const values = tf.util.getTypedArrayFromDType(dtype as 'float32', tf.util.sizeFromShape(shape));
      return args.backend.makeTensorInfo(shape, dtype, values.fill(ofNone(dtype)));
    },
  };
}

function lowest(dtype: tf.DataType): number {
  return dtype === 'bool' ? 0 : -(2 ** 31);
}

function highest(dtype: tf.DataType): number {
  return dtype === 'bool' ? 1 : 2 ** 31 - 1;
}
