import * as tf from '@tensorflow/tfjs-core';
import { checkGradients, type GradientCase } from './gradient-check.js';

const missing = (kernel: string) => new RegExp(`gradient function not found for ${kernel}`);
const integers = (values: number[], shape: number[]) => tf.tensor(values, shape, 'int32');

const boxes = tf.tensor2d([
  [0.11, 0.07, 0.83, 0.91],
  [0.93, 0.81, 0.17, 0.13],
  [-0.31, 0.23, 0.67, 1.37],
]);
const boxInd = integers([1, 0, 1], [3]) as tf.Tensor1D;
const cropped = (['bilinear', 'nearest'] as const).flatMap((method) =>
  (
    [
      [3, 4],
      [1, 1],
      [7, 2],
    ] as [number, number][]
  ).map(
    (size): GradientCase => ({
      name: `cropAndResize of images to ${size}, ${method}`,
      compute: (images) => tf.image.cropAndResize(images as tf.Tensor4D, boxes, boxInd, size, method, 0.5),
      operands: [[2, 5, 4, 2]],
      stock: missing('CropAndResize'),
    }),
  ),
);

// Turned a little, moved, and with a perspective; some of the image lies outside.
const transforms = tf.tensor2d([
  [0.9, 0.23, -0.61, -0.17, 1.1, 0.37, 0.011, 0.007],
  [1, 0, 1.3, 0, 1, -0.7, 0, 0],
]);
const moved = (['bilinear', 'nearest'] as const).flatMap((interpolation) =>
  (['constant', 'reflect', 'wrap', 'nearest'] as const).map(
    (fill): GradientCase => ({
      name: `tf.image.transform of images, ${interpolation}, ${fill}`,
      compute: (images) =>
        tf.image.transform(images as tf.Tensor4D, transforms, interpolation, fill, 0.5, [4, 5]),
      operands: [[2, 5, 4, 2]],
      stock: missing('Transform'),
    }),
  ),
);

const ids = integers([0, 0, 2, 2, 2], [5]) as tf.Tensor1D;
const rows = integers([3, 1, 1, 0, 3], [5]) as tf.Tensor1D;
const overlapping = tf.tensor2d([
  [0, 0, 1, 1],
  [0, 0, 0.9, 1],
  [2, 2, 3, 3],
]);

checkGradients('samples', [
  ...cropped,
  {
    name: 'cropAndResize of boxes',
    compute: (where) =>
      tf.image.cropAndResize(
        tf.reshape(tf.sin(tf.range(0, 80)), [2, 5, 4, 2]),
        where as tf.Tensor2D,
        boxInd,
        [3, 4],
      ),
    operands: [boxes],
    stock: missing('CropAndResize'),
  },
  ...moved,
  {
    name: 'rotateWithOffset',
    compute: (images) => tf.image.rotateWithOffset(images as tf.Tensor4D, 0.7, 0.5, [0.4, 0.6]),
    operands: [[2, 5, 4, 3]],
    stock: missing('RotateWithOffset'),
  },
  {
    name: 'sparseSegmentSum, a row twice and an empty segment',
    compute: (data) => tf.sparse.sparseSegmentSum(data!, rows, ids),
    operands: [[4, 3]],
    stock: missing('SparseSegmentSum'),
  },
  {
    name: 'sparseSegmentMean',
    compute: (data) => tf.sparse.sparseSegmentMean(data!, rows, ids),
    operands: [[4, 3]],
    stock: missing('SparseSegmentMean'),
  },
  {
    name: 'bincount of weights, one out of range',
    compute: (weights) => tf.bincount(integers([1, 0, 1, 5], [4]) as tf.Tensor1D, weights as tf.Tensor1D, 3),
    operands: [[4]],
    stock: missing('Bincount'),
  },
  {
    name: 'denseBincount of rows of weights',
    compute: (weights) =>
      tf.denseBincount(integers([1, 0, 1, 2, 2, 0], [2, 3]) as tf.Tensor2D, weights as tf.Tensor2D, 3),
    operands: [[2, 3]],
    stock: missing('DenseBincount'),
  },
  {
    name: 'sparseFillEmptyRows of values and the default',
    compute: (values, rest) =>
      tf.sparse.sparseFillEmptyRows(
        integers([0, 1, 2, 0, 2, 3], [3, 2]) as tf.Tensor2D,
        values as tf.Tensor1D,
        integers([4, 4], [2]) as tf.Tensor1D,
        rest as tf.Scalar,
      ).outputValues!,
    operands: [[3], []],
    stock: missing('SparseFillEmptyRows'),
  },
  {
    name: 'unique, whose values keep their gradient',
    compute: (x) => tf.unique(x!, 1).values,
    operands: [[2, 4]],
    stock: missing('Unique'),
  },
  {
    name: 'the boxes that nonMaxSuppression chooses',
    compute: (where, scores) =>
      tf.mul(
        tf.gather(where!, tf.image.nonMaxSuppression(where as tf.Tensor2D, scores as tf.Tensor1D, 2)),
        tf.gather(
          tf.expandDims(scores!, 1),
          tf.image.nonMaxSuppression(where as tf.Tensor2D, scores as tf.Tensor1D, 2),
        ),
      ),
    operands: [overlapping, tf.tensor1d([0.9, 0.8, 0.7])],
    stock: /not found for NonMaxSuppressionV3|must have 'float32' dtype/,
  },
  {
    name: 'the scores that nonMaxSuppressionWithScore keeps',
    compute: (scores) =>
      tf.image.nonMaxSuppressionWithScore(overlapping, scores as tf.Tensor1D, 3).selectedScores!,
    operands: [tf.tensor1d([0.9, 0.8, 0.7])],
    stock: missing('NonMaxSuppressionV5'),
  },
  {
    name: 'a place in a sorted list',
    compute: (x) => tf.mul(x!, tf.cast(tf.searchSorted(tf.tensor1d([-1, 0, 1]), x!), 'float32')),
    operands: [tf.tensor1d([-0.5, 0.3, 1.2])],
    stock: missing('SearchSorted'),
  },
]);
