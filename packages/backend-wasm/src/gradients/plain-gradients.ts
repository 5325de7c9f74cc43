import * as tf from '@tensorflow/tfjs-core';
import { runOne } from '../engine/operations.js';
import type { FastGradient } from './fast-gradient.js';

/**
 * The gradients of operations that every model is full of, with fewer kernels than those of tfjs: without casts of what
 * is float32 already, and without the checks of `tf.*`, which the forward pass has made.
 */
export const PLAIN_GRADIENTS: Readonly<Record<string, FastGradient>> = {
  [tf.Reshape]: { gradient: (dy, [x]) => ({ x: () => reshaped(dy as tf.Tensor, x!.shape) }) },
  [tf.ExpandDims]: { gradient: (dy, [x]) => ({ input: () => reshaped(dy as tf.Tensor, x!.shape) }) },
  [tf.Add]: {
    gradient: (dy, [a, b]) => ({
      a: () => summed(dy as tf.Tensor, a!.shape),
      b: () => summed(dy as tf.Tensor, b!.shape),
    }),
  },
  [tf.Sub]: {
    gradient: (dy, [a, b]) => ({
      a: () => summed(dy as tf.Tensor, a!.shape),
      b: () => tf.neg(summed(dy as tf.Tensor, b!.shape)),
    }),
  },
  [tf.Multiply]: {
    gradient: (dy, [a, b]) => ({
      a: () => summed(tf.mul(dy as tf.Tensor, b!), a!.shape),
      b: () => summed(tf.mul(dy as tf.Tensor, a!), b!.shape),
    }),
    when: (_attrs, saved) => saved.every(({ dtype }) => dtype === 'float32'),
  },
  [tf.Square]: {
    gradient: (dy, [x]) => ({ x: () => tf.mul(dy as tf.Tensor, tf.mul(x!, 2)) }),
    when: (_attrs, [x]) => x!.dtype === 'float32',
  },
  [tf.Log]: {
    gradient: (dy, [x]) => ({ x: () => tf.div(dy as tf.Tensor, x!) }),
    when: (_attrs, [x]) => x!.dtype === 'float32',
  },
  [tf.BatchMatMul]: {
    gradient: (dy, saved, attrs) => {
      const [a, b] = saved as [tf.Tensor, tf.Tensor];
      const { transposeA, transposeB } = attrs as { transposeA: boolean; transposeB: boolean };
      const d = dy as tf.Tensor;
      return {
        a: () => (transposeA ? product(b, d, transposeB, true) : product(d, b, false, !transposeB)),
        b: () => (transposeB ? product(d, a, true, transposeA) : product(a, d, !transposeA, false)),
      };
    },
    // The gradient of a single matrix times a batch is a sum, which the gradient of tfjs makes.
    when: (_attrs, [a, b]) => String(a!.shape.slice(0, -2)) === String(b!.shape.slice(0, -2)),
  },
  // Stock transposes dy and the result as well, which changes nothing here.
  [tf.GatherV2]: {
    gradient: (dy, saved) => {
      const [x, indices] = saved as [tf.Tensor, tf.Tensor];
      return {
        x: () => {
          const rows = reshaped(dy as tf.Tensor, [indices.size, ...x.shape.slice(1)]);
          const segmentIds = reshaped(indices, [indices.size]);
          return runOne(tf.UnsortedSegmentSum, { x: rows, segmentIds }, { numSegments: x.shape[0] });
        },
        indices: () => indices,
      };
    },
    when: ({ axis, batchDims }, [x, indices]) =>
      axis === 0 && !batchDims && x!.dtype === 'float32' && indices!.dtype === 'int32',
  },
};

function reshaped(x: tf.Tensor, shape: number[]): tf.Tensor {
  return runOne(tf.Reshape, { x }, { shape });
}

/**
 * The gradient of an operand that was broadcast: each of its numbers went into several results. Never dy itself: the
 * engine of tfjs disposes of gradients that it has added, and both operands may get this one.
 */
function summed(dy: tf.Tensor, shape: number[]): tf.Tensor {
  const axes = tf.backend_util.getReductionAxes(shape, dy.shape);
  return reshaped(axes.length > 0 ? tf.sum(dy, axes) : dy, shape);
}

function product(a: tf.Tensor, b: tf.Tensor, transposeA: boolean, transposeB: boolean): tf.Tensor {
  return runOne(tf.BatchMatMul, { a, b }, { transposeA, transposeB });
}
