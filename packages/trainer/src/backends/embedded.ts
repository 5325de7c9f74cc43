import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';
import { castToOwnData } from '@hookline/tfjs-corrections';
import { MathBackendCPU } from '@tensorflow/tfjs-backend-cpu';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';

/**
 * Sees to it that models can be built at once, before any await. The wasm backend registers itself on import
 * but starts asynchronously, and tfjs would refuse every operation until it has; so cpu, which starts
 * synchronously, is active until a run selects its backend. Weights made on cpu move along.
 */
export function prepareEmbeddedBackends(): void {
  locateWasmFiles();
  registerCpu();
  // Whoever chose a backend before keeps it; importing tfjs-node later makes that one active by itself.
  // Takes effect before it returns, because the factory of cpu is synchronous; it cannot fail.
  if (!tf.getBackend()) void tf.setBackend('cpu');
}

// By default the files are looked for beside the running script, which is wrong once that is a bundle. Done
// at import, so that a program that calls `setWasmPaths` itself has the last word.
function locateWasmFiles(): void {
  try {
    const entry = createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm');
    setWasmPaths(dirname(entry) + sep);
  } catch {
    // Bundled without node_modules, or wasm has failed to start before: the default is all there is.
  }
}

function registerCpu(): void {
  // The import has done this already; but an import for its effect alone, bundlers leave out, because the
  // package wrongly says that it has none.
  if (!tf.findBackendFactory('cpu')) tf.registerBackend('cpu', () => new MathBackendCPU());
  castToOwnData();
  // On its first use in Node it would print an advertisement for another backend.
  Object.assign(tf.findBackend('cpu'), { firstUse: false });
}
