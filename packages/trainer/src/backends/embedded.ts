import { correctKernels } from '@hookline/tfjs-corrections';
import { MathBackendCPU } from '@tensorflow/tfjs-backend-cpu';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { wasmFolder } from '#host';

/**
 * Lets models be built at once, before any await. The wasm backend registers itself on import but starts
 * asynchronously, and until then tfjs would refuse every operation; so cpu, which starts synchronously, is active until
 * a run selects its backend. tfjs moves the weights that were made on cpu.
 */
export function prepareEmbeddedBackends(): void {
  locateWasmFiles();
  registerCpu();
  // A backend that was chosen earlier stays; importing tfjs-node later activates that one. Synchronous and safe,
  // because the factory of cpu is synchronous and cannot fail.
  if (!tf.getBackend()) void tf.setBackend('cpu');
}

// At import, so that a program can still call `setWasmPaths` itself.
function locateWasmFiles(): void {
  const folder = wasmFolder();
  try {
    if (folder !== undefined) setWasmPaths(folder);
  } catch {
    // wasm has failed to start earlier: only the default is left.
  }
}

function registerCpu(): void {
  // The import above usually does this, but bundlers drop imports for side effects, because the package wrongly
  // declares that it has none.
  if (!tf.findBackendFactory('cpu')) tf.registerBackend('cpu', () => new MathBackendCPU());
  correctKernels();
  // On its first use in Node it would print an advertisement for tfjs-node.
  Object.assign(tf.findBackend('cpu'), { firstUse: false });
}
