import * as tf from '@tensorflow/tfjs-core';
import { product } from './spread.js';

/** Stock has none. A value that was copied somewhere gets the gradient of the place it was copied to. */
export const INDEXED_GRADIENTS: readonly tf.GradConfig[] = [
  {
    kernelName: tf.GatherNd,
    inputsToSave: ['params', 'indices'],
    gradFunc: (dy, saved) => {
      const [params, indices] = saved as [tf.Tensor, tf.Tensor];
      return {
        params: () => {
          const depth = indices.shape[indices.rank - 1]!;
          const places = tf.reshape(indices, [-1, depth]);
          const parts = tf.reshape(dy as tf.Tensor, [places.shape[0]!, ...params.shape.slice(depth)]);
          // It adds up the gradients of what was gathered several times.
          return tf.scatterND(places, parts, params.shape as never);
        },
        indices: () => tf.zeros(indices.shape),
      };
    },
  },
  {
    kernelName: tf.ScatterNd,
    inputsToSave: ['indices'],
    gradFunc: (dy, saved) => {
      const [indices] = saved as [tf.Tensor];
      return {
        updates: () => tf.gatherND(dy as tf.Tensor, indices),
        indices: () => tf.zeros(indices.shape),
      };
    },
  },
  {
    kernelName: tf.TensorScatterUpdate,
    inputsToSave: ['indices', 'updates'],
    gradFunc: (dy, saved) => {
      const [indices, updates] = saved as [tf.Tensor, tf.Tensor];
      return {
        tensor: () => {
          // Not tensorScatterUpdate itself, which on cpu writes into its operand.
          const updated = tf.scatterND(indices, tf.ones(updates.shape), (dy as tf.Tensor).shape as never);
          return tf.where(tf.greater(updated, 0), tf.zerosLike(dy as tf.Tensor), dy as tf.Tensor);
        },
        updates: () => tf.gatherND(dy as tf.Tensor, indices),
        indices: () => tf.zeros(indices.shape),
      };
    },
  },
  {
    kernelName: tf.SparseToDense,
    inputsToSave: ['sparseIndices', 'sparseValues'],
    gradFunc: (dy, saved) => {
      const [indices, values] = saved as [tf.Tensor, tf.Tensor];
      const gradient = dy as tf.Tensor;
      // A number or a list of numbers stands for positions with one index each.
      const atPlaces = () => tf.gatherND(gradient, indices.rank < 2 ? tf.reshape(indices, [-1, 1]) : indices);
      return {
        // One value may be given for all places.
        sparseValues: () => (values.rank === 0 ? tf.sum(atPlaces()) : atPlaces()),
        defaultValue: () => tf.sub(tf.sum(gradient), tf.sum(atPlaces())),
        sparseIndices: () => tf.zeros(indices.shape),
      };
    },
  },
  {
    kernelName: tf.TopK,
    inputsToSave: ['x'],
    outputsToSave: [false, true],
    gradFunc: (dys, saved, { k }) => {
      const [x, indices] = saved as [tf.Tensor, tf.Tensor];
      const [values] = dys as tf.Tensor[];
      return {
        x: () => {
          const length = x.shape[x.rank - 1]!;
          const rows = x.size / length;
          const places = offsetRows(tf.reshape(indices, [rows, k as number]), length);
          return tf.reshape(addAt(places, tf.reshape(values!, [-1]), [x.size]), x.shape);
        },
      };
    },
  },
];

/** The gradients of stock fail in the cases named. */
export const MENDED_INDEXED_GRADIENTS: readonly tf.GradConfig[] = [
  {
    // Stock fails when the indices follow from a parameter (`argMax`), with batchDims, without the package
    // `@tensorflow/tfjs`, and on wasm, which has no UnsortedSegmentSum. On cpu that kernel reads all values once for
    // each segment.
    kernelName: tf.GatherV2,
    inputsToSave: ['x', 'indices'],
    gradFunc: (dy, saved, { axis, batchDims }) => {
      const [x, indices] = saved as [tf.Tensor, tf.Tensor];
      return {
        x: () => gatherGradient(dy as tf.Tensor, x.shape, indices, axis as number, batchDims as number),
        indices: () => tf.zeros(indices.shape),
      };
    },
  },
  {
    // Stock fails when the segments follow from a parameter.
    kernelName: tf.UnsortedSegmentSum,
    inputsToSave: ['segmentIds'],
    gradFunc: (dy, saved) => {
      const [ids] = saved as [tf.Tensor];
      return {
        x: () => {
          const gathered = tf.gather(dy as tf.Tensor, tf.maximum(ids, tf.scalar(0, 'int32')));
          const belongs = tf.cast(tf.greaterEqual(ids, 0), 'float32');
          // A negative segment means none.
          return tf.mul(
            gathered,
            tf.reshape(belongs, [...ids.shape, ...gathered.shape.slice(ids.rank).fill(1)]),
          );
        },
        segmentIds: () => tf.zeros(ids.shape),
      };
    },
  },
];

function gatherGradient(
  dy: tf.Tensor,
  shape: number[],
  indices: tf.Tensor,
  axisOrNegative: number,
  batchDims: number,
): tf.Tensor {
  const axis = tf.util.parseAxisParam(axisOrNegative, shape)[0]!;
  const batches = product(shape.slice(0, batchDims));
  const outer = product(shape.slice(batchDims, axis));
  const length = shape[axis]!;
  const inner = product(shape.slice(axis + 1));
  const taken = indices.size / batches;
  // The gathered axis goes next to the batches, so that one index names a row.
  const rows = swapped(tf.reshape(dy, [batches, outer, taken, inner]));
  const places = offsetRows(tf.reshape(indices, [batches, taken]), length);
  const sums = addAt(places, tf.reshape(rows, [-1, outer * inner]), [batches * length, outer * inner]);
  return tf.reshape(swapped(tf.reshape(sums, [batches, length, outer, inner])), shape);
}

/** Swaps the two middle axes. */
function swapped(x: tf.Tensor): tf.Tensor {
  const [first, second, third, fourth] = x.shape as [number, number, number, number];
  if (second === 1 || third === 1) return tf.reshape(x, [first, third, second, fourth]);
  return tf.transpose(x, [0, 2, 1, 3]);
}

/** Places in rows of a length to places in all rows joined. */
function offsetRows(places: tf.Tensor, length: number): tf.Tensor {
  const rows = places.shape[0]!;
  if (rows === 1) return places;
  return tf.add(places, tf.reshape(tf.range(0, rows * length, length, 'int32'), [rows, 1]));
}

function addAt(places: tf.Tensor, values: tf.Tensor, shape: number[]): tf.Tensor {
  return tf.scatterND(tf.reshape(places, [-1, 1]), values, shape as never);
}
