import * as tf from '@tensorflow/tfjs-core';
import type { NativeKernel } from './native-kernel.js';

/** tfjs-node looks up the size of the axis in the shape before TensorFlow, which knows axis -1, sees it. */
export const GATHER: NativeKernel = {
  name: tf.GatherV2,
  correct: (stock) => (args) => {
    const axis = args.attrs.axis as number;
    if (axis >= 0) return stock(args);
    return stock({ ...args, attrs: { ...args.attrs, axis: axis + args.inputs.x!.shape.length } });
  },
};

/** To TensorFlow a space in an equation is the name of an axis. */
export const EINSUM: NativeKernel = {
  name: tf.Einsum,
  correct: (stock) => (args) => {
    const equation = (args.attrs.equation as string).replace(/\s/g, '');
    return stock({ ...args, attrs: { ...args.attrs, equation } });
  },
};
