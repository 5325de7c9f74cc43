import * as tf from '@tensorflow/tfjs-core';
import { BackendWasmError } from '../errors.js';
import { OWN_KERNELS } from '../kernels/own-kernels.js';

/**
 * A gradient inside another one is computed step by step, which has further gradients. Only when it goes back through
 * what the outer one had computed before, in one operation, is there none: then this says so. Returns what undoes it.
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
    `A second derivative leads through ${name}, a kernel of @hookline/backend-wasm that has a first one only. Compute ` +
      'what the inner gradient goes through inside its function, or call enableTraining({ layers: false }).',
  );
}
