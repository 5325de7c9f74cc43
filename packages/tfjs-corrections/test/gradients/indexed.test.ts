import * as tf from '@tensorflow/tfjs-core';
import { checkGradients } from './gradient-check.js';

const missing = (kernel: string) => new RegExp(`gradient function not found for ${kernel}`);
const integers = (values: number[], shape: number[]) => tf.tensor(values, shape, 'int32');
const scores = tf.tensor2d([3, 1, 2, 0, 5, 4, 9, 7, 8], [3, 3]);

checkGradients('indices', [
  {
    name: 'gatherND with an index twice',
    compute: (x) => tf.gatherND(x!, integers([0, 1, 1, 1, 0, 1], [3, 2])),
    operands: [[2, 3, 2]],
    stock: missing('GatherNd'),
  },
  {
    name: 'gatherND of one element',
    compute: (x) => tf.gatherND(x!, integers([1, 2], [2])),
    operands: [[2, 3]],
    stock: missing('GatherNd'),
  },
  {
    name: 'scatterND with an index twice',
    compute: (x) => tf.scatterND(integers([0, 2, 0], [3, 1]), x!, [4, 2]),
    operands: [[3, 2]],
    stock: missing('ScatterNd'),
  },
  {
    name: 'tensorScatterUpdate',
    // On cpu it writes into its operand, so that it gets a copy.
    compute: (x, updates) => tf.tensorScatterUpdate(tf.add(x!, 0), integers([0, 2], [2, 1]), updates!),
    operands: [
      [4, 2],
      [2, 2],
    ],
    stock: missing('TensorScatterUpdate'),
  },
  {
    name: 'sparseToDense with a default',
    compute: (values, rest) => tf.sparseToDense(integers([0, 2], [2]), values!, [4], rest as tf.Scalar),
    operands: [[2], []],
    stock: missing('SparseToDense'),
  },
  {
    name: 'sparseToDense of one value for all places',
    compute: (value) => tf.sparseToDense(integers([0, 1, 1, 1], [2, 2]), value!, [2, 2]),
    operands: [[]],
    stock: missing('SparseToDense'),
  },
  {
    name: 'topk',
    compute: (x) => tf.topk(x!, 2).values,
    operands: [[2, 2, 4]],
    stock: missing('TopK'),
  },
  {
    name: 'topk of a vector, all of it',
    compute: (x) => tf.topk(x!, 5).values,
    operands: [[5]],
    stock: missing('TopK'),
  },
  {
    name: 'gather at the largest',
    compute: (x) => tf.gather(x!, tf.argMax(x!, 1)),
    operands: [scores],
    stock: /must have 'float32' dtype|'UnsortedSegmentSum' not registered/,
  },
  {
    name: 'gather with a batch dimension',
    compute: (x) => tf.gather(x!, integers([0, 2, 1, 1], [2, 2]), 1, 1),
    operands: [[2, 3, 2]],
    stock: /is not a function/,
  },
  {
    name: 'gather with a batch dimension before the axis',
    compute: (x) => tf.gather(x!, integers([0, 1, 1, 1], [2, 2]), 2, 1),
    operands: [[2, 3, 2]],
    stock: /is not a function/,
  },
  {
    name: 'unsortedSegmentSum by the largest, one of no segment',
    compute: (x) =>
      tf.unsortedSegmentSum(x!, tf.sub(tf.argMax(x!, 1), tf.scalar(1, 'int32')) as tf.Tensor1D, 2),
    operands: [scores],
    stock: /Cannot backprop through input segmentIds/,
    backends: ['cpu'],
  },
]);
