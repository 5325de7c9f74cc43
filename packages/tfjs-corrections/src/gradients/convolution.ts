import * as tf from '@tensorflow/tfjs-core';
import { runKernel } from './run-kernel.js';
import { dilateFilter } from './spread.js';

/** Stock has none, so `conv3dTranspose` cannot be trained. */
export const CONV3D_TRANSPOSE_GRADIENT: tf.GradConfig = {
  kernelName: tf.Conv3DBackpropInputV2,
  inputsToSave: ['dy', 'filter'],
  gradFunc: (ddx, saved, attrs) => {
    const [dy, filter] = saved as [tf.Tensor5D, tf.Tensor5D];
    const gradient = ddx as tf.Tensor5D;
    return {
      dy: () => tf.conv3d(gradient, filter, attrs.strides as number, attrs.pad as 'same'),
      filter: () =>
        runKernel(tf.Conv3DBackpropFilterV2, { x: gradient, dy }, { ...attrs, filterShape: filter.shape }),
    };
  },
};

/**
 * Stock refuses dilations other than 1. A dilated convolution is the plain one of a filter with zeros between its
 * elements, so its gradients are the plain ones of that filter, without the zeros. The padding is the same, because it
 * follows from the extent of the filter.
 */
export const MENDED_CONVOLUTION_GRADIENTS: readonly tf.GradConfig[] = [
  convolution(tf.Conv2D, tf.Conv2DBackpropInput, tf.Conv2DBackpropFilter, 2),
  convolution(
    tf.DepthwiseConv2dNative,
    tf.DepthwiseConv2dNativeBackpropInput,
    tf.DepthwiseConv2dNativeBackpropFilter,
    2,
  ),
  convolution(tf.Conv3D, tf.Conv3DBackpropInputV2, tf.Conv3DBackpropFilterV2, 3),
];

function convolution(
  kernelName: string,
  backpropInput: string,
  backpropFilter: string,
  dimensions: number,
): tf.GradConfig {
  return {
    kernelName,
    inputsToSave: ['x', 'filter'],
    gradFunc: (dy, saved, attrs) => {
      const [x, filter] = saved as [tf.Tensor, tf.Tensor];
      const dilations = perDimension(attrs.dilations as number | number[] | null, dimensions);
      const plain = { ...attrs, dilations: dilations.map(() => 1) };
      return {
        x: () => {
          const dilated = dilateFilter(filter, dilations);
          return runKernel(
            backpropInput,
            { dy: dy as tf.Tensor, filter: dilated },
            { ...plain, inputShape: x.shape },
          );
        },
        filter: () => {
          const filterShape = filter.shape.map((size, axis) => (size - 1) * (dilations[axis] ?? 1) + 1);
          const dilated = runKernel(backpropFilter, { x, dy: dy as tf.Tensor }, { ...plain, filterShape });
          if (dilations.every((dilation) => dilation === 1)) return dilated;
          const strides = filter.shape.map((_, axis) => dilations[axis] ?? 1);
          return tf.stridedSlice(
            dilated,
            filter.shape.map(() => 0),
            filterShape,
            strides,
          );
        },
      };
    },
  };
}

function perDimension(dilations: number | number[] | null, dimensions: number): number[] {
  return Array.isArray(dilations) ? dilations : new Array<number>(dimensions).fill(dilations ?? 1);
}
