import * as tf from '@tensorflow/tfjs-core';
import { product } from './spread.js';

/** Stock has none. These operations move elements, and the gradient moves them back. */
export const REARRANGED_GRADIENTS: readonly tf.GradConfig[] = [
  {
    kernelName: tf.DepthToSpace,
    gradFunc: (dy, _saved, { blockSize }) => ({
      x: () => {
        const block = blockSize as number;
        const [batch, height, width, depth] = (dy as tf.Tensor).shape as [number, number, number, number];
        const [rows, columns] = [height / block, width / block];
        const blocks = tf.reshape(dy as tf.Tensor, [batch, rows, block, columns, block, depth]);
        return tf.reshape(tf.transpose(blocks, [0, 1, 3, 2, 4, 5]), [
          batch,
          rows,
          columns,
          block * block * depth,
        ]);
      },
    }),
  },
  {
    kernelName: tf.Diag,
    inputsToSave: ['x'],
    gradFunc: (dy, [x]) => ({
      x: () => {
        const square = tf.reshape(dy as tf.Tensor, [x!.size, x!.size]);
        return tf.reshape(tf.sum(tf.mul(square, tf.eye(x!.size)), 1), x!.shape);
      },
    }),
  },
  {
    kernelName: tf.FlipLeftRight,
    gradFunc: (dy) => ({ image: () => tf.reverse(dy as tf.Tensor, 2) }),
  },
];

/** The gradients of stock are wrong. */
export const MENDED_REARRANGED_GRADIENTS: readonly tf.GradConfig[] = [
  {
    // Stock takes the middle and ignores that the borders are copies of elements.
    kernelName: tf.MirrorPad,
    gradFunc: (dy, _saved, { paddings, mode }) => ({
      x: () => unpadMirrored(dy as tf.Tensor, paddings as number[][], mode === 'reflect' ? 1 : 0),
    }),
  },
  {
    // Stock stops at rank 4, also for `broadcastTo` and `where`, which tile.
    kernelName: tf.Tile,
    inputsToSave: ['x'],
    gradFunc: (dy, [x], { reps }) => ({
      x: () => addRepeats(dy as tf.Tensor, x!.shape, reps as number[]),
    }),
  },
];

/** `skipped` is 1 where the mirror is at the outermost element, and 0 where it is behind it. */
function unpadMirrored(dy: tf.Tensor, paddings: number[][], skipped: number): tf.Tensor {
  let gradient = tf.clone(dy);
  for (const [axis, padding] of paddings.entries()) {
    const [before, after] = padding as [number, number];
    const size = gradient.shape[axis]! - before - after;
    const part = (begin: number, length: number): tf.Tensor => {
      const begins = gradient.shape.map((_, i) => (i === axis ? begin : 0));
      return tf.slice(
        gradient,
        begins,
        gradient.shape.map((whole, i) => (i === axis ? length : whole)),
      );
    };
    const mirrored = (begin: number, length: number, place: number): tf.Tensor[] => {
      if (length === 0) return [];
      const reversed = tf.reverse(part(begin, length), axis);
      const pads = reversed.shape.map((_, i): [number, number] =>
        i === axis ? [place, size - place - length] : [0, 0],
      );
      return [tf.pad(reversed, pads)];
    };
    gradient = tf.addN([
      part(before, size),
      ...mirrored(0, before, skipped),
      ...mirrored(before + size, after, size - skipped - after),
    ]);
  }
  return gradient;
}

function addRepeats(dy: tf.Tensor, shape: number[], reps: number[]): tf.Tensor {
  let gradient = dy;
  for (const [axis, size] of shape.entries()) {
    const rep = reps[axis]!;
    if (rep === 1) continue;
    const outer = product(shape.slice(0, axis));
    gradient = tf.sum(tf.reshape(gradient, [outer, rep, size, -1]), 1);
  }
  return tf.reshape(gradient, shape);
}
