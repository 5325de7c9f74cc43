import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';
import { MathBackendCPU } from '@tensorflow/tfjs-backend-cpu';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';

/** Backends as tfjs has them; test-support has better ones, but depends on this package. */
export async function useStockBackend(name: string): Promise<void> {
  if (name === 'wasm' && !tf.engine().registry.wasm) {
    setWasmPaths(dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm')) + sep);
  }
  Object.assign(tf.findBackend('cpu'), { firstUse: false }); // prints no advertisement
  await tf.setBackend(name);
}

/** Looks like a separate device and counts transfers from it. */
export function distantBackend(): { name: string; reads: number } {
  // Test files share a process, and tfjs keeps the first backend of a name.
  const distant = { name: `distant-${tf.engine().backendNames().length}`, reads: 0 };
  tf.copyRegisteredKernels('cpu', distant.name);
  tf.registerBackend(distant.name, () => {
    const backend = new MathBackendCPU();
    Object.assign(backend, { firstUse: false }); // prints no advertisement
    const read = backend.read.bind(backend);
    backend.read = (id) => {
      distant.reads++;
      return read(id);
    };
    return backend;
  });
  return distant;
}
