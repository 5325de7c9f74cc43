import * as tf from '@tensorflow/tfjs-core';

/** Stock has none. Sums and means of rows that indices choose, and counts with weights. */
export const SEGMENT_GRADIENTS: readonly tf.GradConfig[] = [
  segmentReduction(tf.SparseSegmentSum, (gathered) => gathered),
  segmentReduction(tf.SparseSegmentMean, (gathered, ids, segments) => {
    const counts = tf.unsortedSegmentSum(tf.ones(ids.shape), ids as tf.Tensor1D, segments);
    const own = tf.reshape(tf.gather(counts, ids), [ids.size, ...gathered.shape.slice(1).fill(1)]);
    return tf.div(gathered, own);
  }),
  bincount(tf.Bincount),
  bincount(tf.DenseBincount),
  {
    kernelName: tf.SparseFillEmptyRows,
    inputsToSave: ['indices', 'denseShape'],
    outputsToSave: [false, false, false, true],
    gradFunc: (dys, saved) => {
      const [indices, denseShape, places] = saved as [tf.Tensor, tf.Tensor, tf.Tensor];
      const values = (dys as tf.Tensor[])[1]!;
      const kept = () => tf.gather(values, places);
      return {
        values: kept,
        defaultValue: () => tf.sub(tf.sum(values), tf.sum(kept())),
        indices: () => tf.zeros(indices.shape),
        denseShape: () => tf.zeros(denseShape.shape),
      };
    },
  },
  {
    // Elements that are equal share the gradient of their value, as those of `max` do.
    kernelName: tf.Unique,
    inputsToSave: ['x'],
    outputsToSave: [false, true],
    gradFunc: (dys, saved, { axis }) => {
      const [x, places] = saved as [tf.Tensor, tf.Tensor];
      const values = (dys as tf.Tensor[])[0]!;
      const along = tf.util.parseAxisParam(axis as number, x.shape)[0]!;
      const ones = tf.ones(places.shape);
      return {
        x: () => {
          const counts = tf.unsortedSegmentSum(ones, places as tf.Tensor1D, values.shape[along]!);
          const shape = values.shape.map((size, i) => (i === along ? size : 1));
          return tf.gather(tf.div(values, tf.reshape(counts, shape)), places, along);
        },
      };
    },
  },
];

function segmentReduction(
  kernelName: string,
  share: (gathered: tf.Tensor, ids: tf.Tensor, segments: number) => tf.Tensor,
): tf.GradConfig {
  return {
    kernelName,
    inputsToSave: ['data', 'indices', 'segmentIds'],
    gradFunc: (dy, saved) => {
      const [data, indices, ids] = saved as [tf.Tensor, tf.Tensor, tf.Tensor];
      const sums = dy as tf.Tensor;
      return {
        data: () => {
          const rows = share(tf.gather(sums, ids), ids, sums.shape[0]!);
          return tf.scatterND(tf.reshape(indices, [-1, 1]), rows, data.shape as never);
        },
        indices: () => tf.zeros(indices.shape),
        segmentIds: () => tf.zeros(ids.shape),
      };
    },
  };
}

function bincount(kernelName: string): tf.GradConfig {
  return {
    kernelName,
    inputsToSave: ['x', 'weights'],
    gradFunc: (dy, saved, { size, binaryOutput }) => {
      const [x, weights] = saved as [tf.Tensor, tf.Tensor];
      return {
        x: () => tf.zeros(x.shape),
        weights: () => {
          // Without weights each counts 1, and whether there is one at all does not depend on them.
          if (weights.size === 0 || binaryOutput) return tf.zeros(weights.shape);
          const bins = tf.oneHot(x, size as number, 1, 0, 'float32');
          const gradients = tf.sum(tf.mul(bins, tf.expandDims(dy as tf.Tensor, -2)), -1);
          return tf.reshape(gradients, weights.shape);
        },
      };
    },
  };
}
