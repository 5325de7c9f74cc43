import * as tf from '@tensorflow/tfjs-core';
import { withoutEmscriptenListeners } from './emscripten-listeners.js';
import { enableWasmTraining } from './wasm-training.js';

/** Makes a registered backend the active one; throws when it does not start or does not compute. */
export async function activateBackend(name: string): Promise<void> {
  await withoutEmscriptenListeners(async () => {
    // It starts the backend itself: threads need a memory of another kind, which it has from the start or never.
    if (name === 'wasm') await enableWasmTraining();
    await instantiate(name);
  });
  await tf.setBackend(name);
  await assertComputes();
}

// Done here rather than by `tf.setBackend`, which swallows the error of a backend that fails to start and
// prints it instead. Until the instance is there, the backend active so far goes on working.
async function instantiate(name: string): Promise<void> {
  const { registry } = tf.engine();
  if (registry[name]) return;
  const factory = tf.findBackendFactory(name);
  if (!factory) throw new Error(`it registered no tfjs backend named "${name}"`);
  const instance = await factory();
  registry[name] ??= instance;
}

/** A backend can load and still be unable to compute: kernels that are missing, a driver that is too old. */
async function assertComputes(): Promise<void> {
  const product = tf.tidy(() =>
    tf.matMul(tf.tensor2d([1, 2, 3, 4], [2, 2]), tf.tensor2d([5, 6, 7, 8], [2, 2])),
  );
  try {
    const values = [...(await product.data())];
    const isRight = [19, 22, 43, 50].every((expected, i) => Math.abs(values[i]! - expected) < 1e-3);
    if (!isRight) throw new Error(`it multiplies wrongly: [1 2; 3 4] x [5 6; 7 8] gave ${values.join(' ')}`);
  } finally {
    product.dispose();
  }
}
