import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-backend-wasm';
// Registers the gradients of tfjs.
import '@tensorflow/tfjs-layers';
import * as tf from '@tensorflow/tfjs-core';

/** Runs on one backend; tensors made meanwhile are disposed. */
export async function on<Result>(backend: 'cpu' | 'wasm', run: () => Result): Promise<Result> {
  await tf.setBackend(backend);
  tf.engine().startScope();
  try {
    return run();
  } finally {
    tf.engine().endScope();
  }
}

/** Numbers that are the same in every run (mulberry32). */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
