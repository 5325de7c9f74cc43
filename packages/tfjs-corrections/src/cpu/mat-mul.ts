import * as tf from '@tensorflow/tfjs-core';
import { type CpuArgs, type CpuBackend, type CpuKernel, runOnCpu } from './cpu-kernel.js';

/**
 * Stock goes through a smaller batch again and again. That is right where it lacks the first axes of the larger one, and
 * wrong where another axis is repeated: [2, 1] times [2, 2] matrices. Where both are repeated it computes too few.
 */
export const MAT_MUL_KERNELS: readonly CpuKernel[] = [tf.BatchMatMul, tf._FusedMatMul].map((name) => ({
  name,
  correct: (stock) => (args) => {
    const { inputs, backend } = args;
    const { a, b } = inputs as { a: tf.TensorInfo; b: tf.TensorInfo };
    if (a.shape.length === 2 && b.shape.length === 2) return stock(args);
    const batch = tf.broadcast_util.assertAndGetBroadcastShape(batchOf(a), batchOf(b));
    const whole = { a: repeated(backend, a, batch), b: repeated(backend, b, batch) };
    const result = stock({ ...args, inputs: { ...inputs, ...whole } as CpuArgs['inputs'] });
    if (whole.a !== a) backend.disposeIntermediateTensorInfo(whole.a);
    if (whole.b !== b) backend.disposeIntermediateTensorInfo(whole.b);
    return result;
  },
}));

function batchOf({ shape }: tf.TensorInfo): number[] {
  return shape.slice(0, -2);
}

/** The matrices for each place of the batch; the tensor itself where stock finds them. */
function repeated(backend: CpuBackend, x: tf.TensorInfo, batch: readonly number[]): tf.TensorInfo {
  const own = batchOf(x);
  const missing = own.findIndex((size) => size !== 1);
  const repeating = missing < 0 ? [] : own.slice(missing);
  const isFound = repeating.every((size, axis) => size === batch[batch.length - repeating.length + axis]);
  const isEmpty = batch.includes(0) && !own.includes(0);
  if (isFound && !isEmpty) return x;
  const leading = new Array<number>(batch.length - own.length).fill(1);
  const aligned = { ...x, shape: [...leading, ...x.shape] };
  const reps = batch.map((size, axis) => (aligned.shape[axis] === size ? 1 : size));
  return runOnCpu(tf.Tile, backend, { x: aligned }, { reps: [...reps, 1, 1] });
}
