import * as tf from '@tensorflow/tfjs-core';

type KernelRegistry = ReadonlyMap<string, tf.KernelConfig>;

/** The kernel registry of tfjs, by `backend_kernel`. */
const { _tfGlobals: shared } = globalThis as { _tfGlobals?: ReadonlyMap<string, unknown> };
const registry = shared?.get('kernelRegistry') as KernelRegistry | undefined;

const keys = new Map<string, string>();

/** The kernel that is registered for wasm now. Faster than tf.getKernel, which builds a new key each time. */
export function kernelOf(name: string): tf.KernelConfig | undefined {
  let key = keys.get(name);
  if (key === undefined) {
    key = `wasm_${name}`;
    keys.set(name, key);
  }
  return registry ? registry.get(key) : tf.getKernel(name, 'wasm');
}
