import * as tf from '@tensorflow/tfjs-core';
import { isHostBackend } from './host-values.js';

/** Reads the numbers of several small tensors in one transfer. The tensors remain the caller's. */
export async function readNumbers(tensors: readonly tf.Tensor[]): Promise<number[][]> {
  // Where the data is in our own memory, joining first would cost more than it saves.
  if (isHostBackend()) return tensors.map((tensor) => [...tensor.dataSync()]);
  if (tensors.length === 0) return [];
  const joined = tf.tidy(() =>
    tf.concat(tensors.map((tensor) => tf.reshape(tf.cast(tensor, 'float32'), [-1]))),
  );
  const values = await joined.data();
  joined.dispose();
  let offset = 0;
  return tensors.map(({ size }) => {
    offset += size;
    return [...values.subarray(offset - size, offset)];
  });
}
