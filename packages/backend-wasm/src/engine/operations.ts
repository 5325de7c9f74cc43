import * as tf from '@tensorflow/tfjs-core';
import { engineInternals, type GradientRule } from './engine-state.js';

/** Runs a kernel that has one result. */
export function runOne(name: string, inputs: tf.NamedTensorMap, attrs: object = {}): tf.Tensor {
  return tf.engine().runKernel(name, inputs, attrs as tf.NamedAttrMap) as tf.Tensor;
}

/** Runs a kernel that has several results. */
export function runMany(name: string, inputs: tf.NamedTensorMap, attrs: object = {}): tf.Tensor[] {
  return tf.engine().runKernel(name, inputs, attrs as tf.NamedAttrMap) as unknown as tf.Tensor[];
}

/** One operation on the tape: `forward` runs off the tape, `backward` returns a function for each input's gradient. */
export function fusedOperation(
  inputs: tf.NamedTensorMap,
  forward: (save: (tensors: tf.Tensor[]) => void) => tf.Tensor,
  backward: (dy: tf.Tensor, saved: tf.Tensor[]) => Record<string, () => tf.Tensor>,
): tf.Tensor {
  return engineInternals().runKernelFunc({
    inputs,
    forwardFunc: (_backend, save) => forward(save),
    backwardsFunc: backward as GradientRule,
  }) as tf.Tensor;
}
