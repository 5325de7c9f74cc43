import '@tensorflow/tfjs-backend-cpu';
import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';
import { enableTraining } from '@hookline/backend-wasm';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { TEST_BACKEND } from './test-backend.js';

/**
 * Makes a backend the active one, as the trainer does: wasm with the kernels of backend-wasm. Without a name the one that the
 * tests run on.
 */
export async function useBackend(name: string = TEST_BACKEND): Promise<void> {
  // Keeps cpu from printing an advertisement. Not by IS_TEST: tfjs then takes data that moves to another backend for a leak.
  Object.assign(tf.findBackend('cpu'), { firstUse: false });
  if (name === 'wasm' && !tf.engine().registry.wasm) {
    setWasmPaths(dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm')) + sep);
  }
  if (name === 'wasm') await enableTraining();
  await tf.setBackend(name);
}
