import * as tf from '@tensorflow/tfjs-core';
import { aroundWindows, elementsAt, firstMaxima } from './first-maxima.js';
import { covered, dividesByWindow, type PoolAxis, poolAxes, scaleWindows } from './pool-axes.js';
import { runKernel } from './run-kernel.js';

/**
 * The gradients of gradients, for gradient penalties and for learning to learn. Stock has none for these kernels, although
 * most of them are linear in what they get.
 */
export const SECOND_ORDER_GRADIENTS: readonly tf.GradConfig[] = [
  filterGradient(tf.Conv2DBackpropFilter, tf.Conv2D, tf.Conv2DBackpropInput),
  filterGradient(tf.Conv3DBackpropFilterV2, tf.Conv3D, tf.Conv3DBackpropInputV2),
  filterGradient(
    tf.DepthwiseConv2dNativeBackpropFilter,
    tf.DepthwiseConv2dNative,
    tf.DepthwiseConv2dNativeBackpropInput,
  ),
  {
    kernelName: tf.DepthwiseConv2dNativeBackpropInput,
    inputsToSave: ['dy', 'filter'],
    gradFunc: (ddx, saved, attrs) => {
      const [dy, filter] = saved as [tf.Tensor, tf.Tensor];
      const x = ddx as tf.Tensor;
      return {
        dy: () => runKernel(tf.DepthwiseConv2dNative, { x, filter }, undilated(attrs)),
        filter: () =>
          runKernel(
            tf.DepthwiseConv2dNativeBackpropFilter,
            { x, dy },
            { ...attrs, filterShape: filter.shape },
          ),
      };
    },
  },
  averagePoolGradient(tf.AvgPoolGrad, tf.AvgPool),
  averagePoolGradient(tf.AvgPool3DGrad, tf.AvgPool3D),
  maxPoolGradient(tf.MaxPoolGrad),
  maxPoolGradient(tf.MaxPool3DGrad),
  resizeGradient(tf.ResizeBilinearGrad, tf.ResizeBilinear),
  resizeGradient(tf.ResizeNearestNeighborGrad, tf.ResizeNearestNeighbor),
  {
    // dy where y is positive, dy * (y + 1) elsewhere.
    kernelName: tf.EluGrad,
    inputsToSave: ['dy', 'y'],
    gradFunc: (ddx, saved) => {
      const [dy, y] = saved as [tf.Tensor, tf.Tensor];
      const gradient = ddx as tf.Tensor;
      return {
        dy: () => runKernel(tf.EluGrad, { dy: gradient, y }),
        y: () => tf.mul(tf.mul(gradient, dy), tf.cast(tf.less(y, 0), 'float32')),
      };
    },
  },
];

function filterGradient(kernelName: string, forward: string, backpropInput: string): tf.GradConfig {
  return {
    kernelName,
    inputsToSave: ['x', 'dy'],
    gradFunc: (ddFilter, saved, attrs) => {
      const [x, dy] = saved as [tf.Tensor, tf.Tensor];
      const filter = ddFilter as tf.Tensor;
      return {
        x: () => runKernel(backpropInput, { dy, filter }, { ...attrs, inputShape: x.shape }),
        dy: () => runKernel(forward, { x, filter }, undilated(attrs)),
      };
    },
  };
}

/** The gradients of dilated convolutions are made of plain ones. */
function undilated(attrs: tf.NamedAttrMap): tf.NamedAttrMap {
  return { dataFormat: 'NHWC', ...attrs, dilations: 1 };
}

/** Most kernels give each element of a window an equal share, also at a border: the opposite is the mean with such shares. */
function averagePoolGradient(kernelName: string, forward: string): tf.GradConfig {
  return {
    kernelName,
    inputsToSave: ['input'],
    gradFunc: (ddx, [input], attrs) => ({
      dy: () => {
        const means = runKernel(forward, { x: ddx as tf.Tensor }, attrs);
        if (!dividesByWindow(attrs)) return means;
        return poolAxes(input!.shape, attrs).reduce((mean, axis, index) => {
          const shares = covered(axis).map((inside) => inside / axis.window);
          return scaleWindows(mean, index, shares);
        }, means);
      },
      input: () => tf.zerosLike(input!),
    }),
  };
}

function maxPoolGradient(kernelName: string): tf.GradConfig {
  return {
    kernelName,
    inputsToSave: ['input', 'output'],
    gradFunc: (ddx, saved, attrs) => {
      const [input, output] = saved as [tf.Tensor, tf.Tensor];
      return {
        dy: () => atMaxima(ddx as tf.Tensor, input, output, poolAxes(input.shape, attrs)),
        input: () => tf.zerosLike(input),
        output: () => tf.zerosLike(output),
      };
    },
  };
}

/** The values at the places where each window has its first maximum. */
function atMaxima(values: tf.Tensor, x: tf.Tensor, maxima: tf.Tensor, axes: readonly PoolAxis[]): tf.Tensor {
  const padded = tf.pad(values, aroundWindows(axes));
  let sum: tf.Tensor = tf.zeros(maxima.shape);
  for (const { offset, isFirst } of firstMaxima(x, maxima, axes)) {
    sum = tf.add(sum, tf.mul(elementsAt(offset, padded, axes), isFirst));
  }
  return sum;
}

function resizeGradient(kernelName: string, forward: string): tf.GradConfig {
  return {
    kernelName,
    inputsToSave: ['images'],
    gradFunc: (ddx, [images], attrs) => ({
      // On cpu the kernel for bilinear resizing reports its height as its width.
      dy: () => runKernel(forward, { images: tf.reshape(ddx as tf.Tensor, images!.shape) }, attrs),
      images: () => tf.zerosLike(images!),
    }),
  };
}
