import * as tf from '@tensorflow/tfjs-core';
import { boxGradient } from './box-gradient.js';
import { noGradient } from './refused.js';
import { runKernel } from './run-kernel.js';

/** Stock has none. Each pixel of the result is a mean of up to four neighbours, and its gradient goes back to them. */
export const SAMPLED_IMAGE_GRADIENTS: readonly tf.GradConfig[] = [
  {
    kernelName: tf.CropAndResize,
    inputsToSave: ['image', 'boxes', 'boxInd'],
    gradFunc: (dy, saved, attrs) => {
      const [image, boxes, boxInd] = saved as [tf.Tensor4D, tf.Tensor2D, tf.Tensor1D];
      const crop = (probe: tf.Tensor) =>
        runKernel(tf.CropAndResize, { image: probe, boxes, boxInd }, { ...attrs, extrapolationValue: 0 });
      return {
        image: () => putBack(dy as tf.Tensor4D, image.shape, boxInd, crop),
        boxes: () =>
          attrs.method === 'bilinear'
            ? boxGradient(dy as tf.Tensor4D, image, boxes, boxInd, crop)
            : tf.zerosLike(boxes),
        boxInd: () => tf.zeros(boxInd.shape),
      };
    },
  },
  {
    kernelName: tf.Transform,
    inputsToSave: ['image', 'transforms'],
    gradFunc: (dy, saved, attrs) => {
      const [image, transforms] = saved as [tf.Tensor4D, tf.Tensor2D];
      const move = (probe: tf.Tensor) =>
        runKernel(tf.Transform, { image: probe, transforms }, { ...attrs, fillValue: 0 });
      return {
        image: () => putBack(dy as tf.Tensor4D, image.shape, everyImage(image), move),
        transforms: () => {
          throw noGradient(
            'the transforms of tf.image.transform',
            'Images have one. To learn where to look, use the boxes of tf.image.cropAndResize.',
          );
        },
      };
    },
  },
  {
    kernelName: tf.RotateWithOffset,
    inputsToSave: ['image'],
    gradFunc: (dy, saved, attrs) => {
      const [image] = saved as [tf.Tensor4D];
      const rotate = (probe: tf.Tensor) =>
        runKernel(tf.RotateWithOffset, { image: probe }, { ...attrs, fillValue: 0 });
      return { image: () => putBack(dy as tf.Tensor4D, image.shape, everyImage(image), rotate) };
    },
  },
];

function everyImage({ shape }: tf.Tensor): tf.Tensor1D {
  return tf.range(0, shape[0]!, 1, 'int32');
}

/**
 * Adds the gradient of each sampled pixel to those that it was made of. Which ones, and with which weights, the operation
 * itself tells, so that rounding and borders are those of the forward pass: it samples a board on which every second row
 * and column is 1. Of any four neighbours exactly one is on the board, and the board times the number of its rows and
 * columns gives its place.
 */
function putBack(
  dy: tf.Tensor4D,
  shape: readonly number[],
  imageOf: tf.Tensor1D,
  sample: (probe: tf.Tensor) => tf.Tensor,
): tf.Tensor {
  const [batch, height, width, channels] = shape as [number, number, number, number];
  const rows = tf.reshape(tf.range(0, height), [1, height, 1, 1]);
  const columns = tf.reshape(tf.range(0, width), [1, 1, width, 1]);
  const isOdd = (places: tf.Tensor) => tf.mod(places, 2);
  const isEven = (places: tf.Tensor) => tf.sub(1, isOdd(places));
  const first = tf.mul(tf.reshape(imageOf, [-1, 1, 1]), tf.scalar(height, 'int32'));
  const [places, values]: [tf.Tensor[], tf.Tensor[]] = [[], []];
  for (const ofRow of [isEven, isOdd])
    for (const ofColumn of [isEven, isOdd]) {
      const board = tf.mul(ofRow(rows), ofColumn(columns));
      const probe = tf.tile(tf.concat([board, tf.mul(board, rows), tf.mul(board, columns)], 3), [
        batch,
        1,
        1,
        1,
      ]);
      const [weight, row, column] = tf.unstack(sample(probe), 3) as [tf.Tensor, tf.Tensor, tf.Tensor];
      const place = (sum: tf.Tensor) => tf.cast(tf.round(tf.divNoNan(sum, weight)), 'int32');
      const inBatch = tf.mul(tf.add(first, place(row)), tf.scalar(width, 'int32'));
      places.push(tf.reshape(tf.add(inBatch, place(column)), [-1, 1]));
      values.push(tf.reshape(tf.mul(dy, tf.expandDims(weight, 3)), [-1, channels]));
    }
  const pixels = [batch * height * width, channels];
  return tf.reshape(tf.scatterND(tf.concat(places), tf.concat(values), pixels as never), [...shape]);
}
