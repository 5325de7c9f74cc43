import * as tf from '@tensorflow/tfjs-core';

export interface FarBackend {
  name: string;
  /** How many reads there were. An asynchronous one counts twice, because cpu does it by a synchronous one. */
  reads: number;
}

/**
 * Looks like a separate device, whose memory is not ours: the cpu backend under another name. `readsNow: false`: it can only
 * be read by waiting for it, as WebGPU in Node.
 */
export function farBackend({ readsNow = true } = {}): FarBackend {
  const Cpu = tf.findBackend('cpu').constructor as new () => tf.KernelBackend;
  const name = `far-${tf.engine().backendNames().length}`;
  const far: FarBackend = { name, reads: 0 };
  tf.copyRegisteredKernels('cpu', name);
  tf.registerBackend(name, () => {
    const backend = Object.assign(new Cpu(), { firstUse: false }); // prints no advertisement
    const { read, readSync } = backend;
    let isAwaited = false; // cpu reads through readSync
    backend.read = (id) => {
      far.reads++;
      isAwaited = true;
      const values = read.call(backend, id);
      isAwaited = false;
      return values;
    };
    backend.readSync = (id) => {
      if (!readsNow && !isAwaited) throw new ReferenceError('OffscreenCanvas is not defined');
      far.reads++;
      return readSync.call(backend, id);
    };
    return backend;
  });
  return far;
}
