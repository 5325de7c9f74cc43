import * as tf from '@tensorflow/tfjs-core';
import { runKernel } from './run-kernel.js';

interface ResizeAttrs {
  alignCorners: boolean;
  halfPixelCenters: boolean;
  size: [number, number];
}

/** The gradients of stock are wrong, most of them on several backends. */
export const MENDED_RESIZE_GRADIENTS: readonly tf.GradConfig[] = [
  // On cpu the kernel computes the right gradient but reports its height as its width, so training fails on images that
  // are not square.
  resized(tf.ResizeBilinear, (dy, images, attrs) =>
    tf.reshape(runKernel(tf.ResizeBilinearGrad, { dy, images }, attrs), images.shape),
  ),
  resized(tf.ResizeNearestNeighbor, (dy, images, attrs) => {
    // On cpu the kernel is right for the first image only; for the others it reads the wrong part of the gradient. Here
    // the images of a batch become channels of one image.
    const [batch, height, width, channels] = images.shape as [number, number, number, number];
    if (batch === 1 || tf.getBackend() !== 'cpu') {
      return runKernel(tf.ResizeNearestNeighborGrad, { dy, images }, attrs);
    }
    const one = runKernel(tf.ResizeNearestNeighborGrad, { dy: joined(dy), images: joined(images) }, attrs);
    return tf.transpose(tf.reshape(one, [height, width, batch, channels]), [2, 0, 1, 3]);
  }),
];

function resized(
  kernelName: string,
  byKernel: (dy: tf.Tensor, images: tf.Tensor, attrs: tf.NamedAttrMap) => tf.Tensor,
): tf.GradConfig {
  return {
    kernelName,
    inputsToSave: ['images'],
    gradFunc: (dy, saved, attrs) => {
      const [images] = saved as [tf.Tensor];
      const { alignCorners, halfPixelCenters } = attrs as unknown as ResizeAttrs;
      // The kernels of all backends ignore halfPixelCenters. Images of one row or column, whose corners cannot be aligned,
      // keep the one for nearest neighbours on cpu busy for ever; on wasm they have no gradient.
      const isWrong = halfPixelCenters || (alignCorners && images.shape.slice(1, 3).includes(1));
      const compute = isWrong ? byMatrices(kernelName, attrs) : byKernel;
      return { images: () => compute(dy as tf.Tensor, images, attrs) };
    },
  };
}

/**
 * Resizing is a product with one matrix for the rows and one for the columns, and its gradient the product with both
 * transposed. The matrices are what the backend itself makes of the identity: rounding falls as in the forward pass.
 */
function byMatrices(kernelName: string, attrs: tf.NamedAttrMap) {
  const matrix = (from: number, to: number): tf.Tensor => {
    const identity = tf.reshape(tf.eye(from), [1, from, 1, from]);
    const size: [number, number] = [to, 1];
    return tf.reshape(runKernel(kernelName, { images: identity }, { ...attrs, size }), [to, from]);
  };
  return (dy: tf.Tensor, images: tf.Tensor): tf.Tensor => {
    const [batch, height, width, channels] = images.shape as [number, number, number, number];
    const [rows, columns] = (attrs as unknown as ResizeAttrs).size;
    const perRow = tf.reshape(dy, [batch, rows, columns * channels]);
    const inRows = tf.matMul(matrix(height, rows), perRow, true, false);
    const perColumn = tf.reshape(inRows, [batch * height, columns, channels]);
    return tf.reshape(tf.matMul(matrix(width, columns), perColumn, true, false), [
      batch,
      height,
      width,
      channels,
    ]);
  };
}

function joined(images: tf.Tensor): tf.Tensor {
  const [batch, height, width, channels] = images.shape as [number, number, number, number];
  return tf.reshape(tf.transpose(images, [1, 2, 0, 3]), [1, height, width, batch * channels]);
}
