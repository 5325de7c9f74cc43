import '@tensorflow/tfjs-backend-cpu';
import { enableTraining } from '@hookline/backend-wasm';
import * as tf from '@tensorflow/tfjs-core';

/** Makes a backend the active one, as the trainer does: wasm with the kernels of backend-wasm. */
export async function useBackend(name: 'cpu' | 'wasm'): Promise<void> {
  // Keeps cpu from printing an advertisement for another backend.
  tf.env().set('IS_TEST', true);
  if (name === 'wasm') await enableTraining();
  await tf.setBackend(name);
}
