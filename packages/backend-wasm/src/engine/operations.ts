import * as tf from '@tensorflow/tfjs-core';
import { engineInternals, type GradientRule } from './engine-state.js';
import { OPERATION } from './repeatable.js';

/** Runs a kernel that has one result. */
export function runOne(name: string, inputs: tf.NamedTensorMap, attrs: object = {}): tf.Tensor {
  return tf.engine().runKernel(name, inputs, attrs as tf.NamedAttrMap) as tf.Tensor;
}

/** Runs a kernel that has several results. */
export function runMany(name: string, inputs: tf.NamedTensorMap, attrs: object = {}): tf.Tensor[] {
  return tf.engine().runKernel(name, inputs, attrs as tf.NamedAttrMap) as unknown as tf.Tensor[];
}

/**
 * One operation on the tape: `forward` runs off it, and `backward` gives a function for each input's gradient. With
 * `depends`, `backward` works on dy and what was saved alone, and depends on nothing but their shapes, those of the
 * inputs, and what this says: then a step like one before need not call it. `operation` is a name of its own.
 */
export function fusedOperation(
  inputs: tf.NamedTensorMap,
  forward: (save: (tensors: tf.Tensor[]) => void) => tf.Tensor,
  backward: (dy: tf.Tensor, saved: tf.Tensor[]) => Record<string, () => tf.Tensor>,
  depends?: { readonly operation: string; readonly on?: object },
): tf.Tensor {
  return engineInternals().runKernelFunc({
    inputs,
    forwardFunc: (_backend, save) => forward(save),
    backwardsFunc: backward as GradientRule,
    attrs: depends && { ...depends.on, [OPERATION]: depends.operation },
  }) as tf.Tensor;
}
