import * as tf from '@tensorflow/tfjs-core';
import { type Movement, NO_MOMENTS, type Statistics } from './recorder.js';

// Kernels that @hookline/backend-wasm registers, known by their names alone. They go over the memory of the backend
// once, in double precision, and write what they find to `into`.
const STATISTICS = 'HooklineStatistics';
const MOVEMENT = 'HooklineMovement';

/** Undefined where there is no such kernel for the tensor. */
export function kernelStatistics(tensor: tf.Tensor): Statistics | undefined {
  const numbers = new Float64Array(7);
  if (!runKernel(STATISTICS, { x: tensor }, numbers)) return undefined;
  const [sumSquares, finite, zeros, min, max, sum, deviations] = numbers as unknown as SevenNumbers;
  if (finite === 0) return { sumSquares, finite, zeros, ...NO_MOMENTS };
  return { sumSquares, finite, zeros, min, max, mean: sum / finite, std: Math.sqrt(deviations / finite) };
}

/** Undefined where there is no such kernel for the tensors. */
export function kernelMovement(before: tf.Tensor, after: tf.Tensor): Omit<Movement, 'path'> | undefined {
  const numbers = new Float64Array(2);
  if (!runKernel(MOVEMENT, { before, after }, numbers)) return undefined;
  return { before: numbers[0]!, change: numbers[1]! };
}

type SevenNumbers = [number, number, number, number, number, number, number];

function runKernel(name: string, inputs: tf.NamedTensorMap, into: Float64Array): boolean {
  const kernel = tf.getKernel(name, tf.getBackend());
  if (!kernel || Object.values(inputs).some(({ dtype }) => dtype !== 'float32')) return false;
  // Past the engine, which would track and dispose of outputs: there are none.
  kernel.kernelFunc({ inputs, attrs: { into } as unknown as tf.NamedAttrMap, backend: tf.backend() });
  return true;
}
