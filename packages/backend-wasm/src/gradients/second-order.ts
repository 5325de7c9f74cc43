import * as tf from '@tensorflow/tfjs-core';
import { BackendWasmError } from '../errors.js';
import { OWN_KERNELS } from '../kernels/own-kernels.js';

/**
 * A gradient inside another one is computed operation by operation, which can be differentiated again. Only what the
 * outer one has already computed in one fused operation cannot: this adds an error that says so. Returns how to undo it.
 */
export function explainSecondOrder(): () => void {
  const added = OWN_KERNELS.filter(({ name }) => !tf.getGradient(name));
  for (const { name } of added) tf.registerGradient({ kernelName: name, gradFunc: () => refuse(name) });
  return () => {
    for (const { name } of added) tf.unregisterGradient(name);
  };
}

function refuse(name: string): never {
  throw new BackendWasmError(
    'NO_SECOND_GRADIENT',
    `A second derivative goes through ${name}, a kernel of @hookline/backend-wasm that has a first derivative only. ` +
      'Move what the inner gradient goes through into its function, or call enableTraining({ layers: false }).',
  );
}
