import { canReadNow } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';

/**
 * Runs something on a backend of another name, which nobody takes for one whose tensors are in our own memory, and
 * counts how often it is read.
 */
export async function onDevice(run: (reads: () => number) => unknown): Promise<void> {
  const cpu = tf.findBackend('cpu') as tf.KernelBackend;
  if (!tf.findBackendFactory('pretend')) {
    tf.registerBackend('pretend', () => cpu);
    tf.copyRegisteredKernels('cpu', 'pretend');
  }
  const before = tf.getBackend();
  const { read, readSync } = cpu;
  let reads = 0;
  let inside = false;
  cpu.read = (id) => {
    reads++;
    inside = true; // the cpu backend reads through readSync
    const pending = read.call(cpu, id);
    inside = false;
    return pending;
  };
  cpu.readSync = (id) => {
    if (!inside) reads++;
    return readSync.call(cpu, id);
  };
  await tf.setBackend('pretend');
  canReadNow(); // it is tried once for each backend, with a read that is not counted here
  reads = 0;
  try {
    await run(() => reads);
  } finally {
    Object.assign(cpu, { read, readSync });
    await tf.setBackend(before);
  }
}
