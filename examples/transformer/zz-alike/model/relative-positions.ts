import * as tf from '@tensorflow/tfjs-core';

/** What attention knows of positions: how far apart two are, and which of them come later. */
export interface RelativePositions {
  /** [to x from, distance]: a one for the distance between the two; a row of zeros where `from` comes later. */
  distances: tf.Tensor2D;
  /** [to, from]: 0 where a position may look, a score that no softmax sees where `from` comes later. */
  mask: tf.Tensor2D;
}

export function relativePositions(length: number): RelativePositions {
  const behind = Int32Array.from(
    { length: length ** 2 },
    (_, cell) => Math.floor(cell / length) - (cell % length),
  );
  return {
    // A negative number makes a row of zeros.
    distances: tf.cast(tf.oneHot(tf.tensor1d(behind, 'int32'), length), 'float32') as tf.Tensor2D,
    mask: tf.tensor2d(
      Float32Array.from(behind, (distance) => (distance < 0 ? -1e9 : 0)),
      [length, length],
    ),
  };
}
