import * as tf from '@tensorflow/tfjs-core';
import type { TapeNode } from './engine-state.js';

/** The gradient of one input of an operation, from the functions that its gradient function returned. */
export function gradientOf(
  { kernelName, inputs }: TapeNode,
  name: string,
  functions: Readonly<Record<string, () => tf.Tensor>>,
): tf.Tensor {
  const compute = functions[name];
  if (!compute) {
    const available = Object.keys(functions);
    throw new Error(`Cannot backprop through input ${name}. Available gradients found: ${available}.`);
  }
  const [dx, x] = [compute(), inputs[name]!];
  if (dx.dtype !== 'float32') {
    throw new Error(
      `Error in gradient for op ${kernelName}. The gradient of input ${name} must have 'float32' dtype, but has '${dx.dtype}'`,
    );
  }
  if (!tf.util.arraysEqual(dx.shape, x.shape)) {
    throw new Error(
      `Error in gradient for op ${kernelName}. The gradient of input '${name}' has shape '${dx.shape}', which does not match the shape of the input '${x.shape}'`,
    );
  }
  return dx;
}
