import { withoutEmscriptenListeners } from '@hookline/backend-wasm';
import { correctKernels } from '@hookline/tfjs-corrections';
import * as tf from '@tensorflow/tfjs-core';
import type { WasmSettings } from './backend-option.js';
import { watchDevice } from './device-watch.js';
import { enableWasmTraining } from './wasm-training.js';

/** How a backend was activated, where there is something to say about that. */
export interface Activated {
  readonly note?: string | undefined;
}

/** A browser leaves it to the driver how shaders round, and in which order they add. */
const GPU_NOTE = 'whose results are not the same to the bit on every machine and in every run';
const GPU_NOTES: Readonly<Record<string, string>> = { webgl: GPU_NOTE, webgpu: GPU_NOTE };

/** Makes a registered backend the active one; throws when it does not start or does not compute. */
export async function activateBackend(name: string, wasm?: WasmSettings): Promise<Activated> {
  // It starts the backend itself: memory that threads can share has to be there from the start.
  const note = name === 'wasm' ? await enableWasmTraining(wasm) : GPU_NOTES[name];
  await instantiate(name);
  correctKernels();
  await tf.setBackend(name);
  watchDevice();
  await assertComputes();
  return { note };
}

// Done here because `tf.setBackend` only prints the error of a backend that fails to start. Until the instance is
// there, the active backend keeps working.
async function instantiate(name: string): Promise<void> {
  const { registry } = tf.engine();
  if (registry[name]) return;
  const factory = tf.findBackendFactory(name);
  if (!factory) throw new Error(`it did not register a tfjs backend named "${name}"`);
  const instance = await withoutEmscriptenListeners(() => factory());
  registry[name] ??= instance;
}

/** A backend can load and still be unable to compute: missing kernels, an old driver. */
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
