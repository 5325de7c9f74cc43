import '@tensorflow/tfjs-layers';
import * as tf from '@tensorflow/tfjs-core';

const kernels = (Object.values(tf) as unknown[]).filter((value) => typeof value === 'string');
const stockGradients = new Map(kernels.map((kernel) => [kernel, tf.getGradient(kernel)]));

/** Undoes what `registerGradients` of tfjs-corrections did. Import it before anything registers gradients. */
export function useStockGradients(): void {
  for (const [kernel, gradient] of stockGradients) {
    if (tf.getGradient(kernel) === gradient) continue;
    if (gradient) tf.registerGradient(gradient);
    else tf.unregisterGradient(kernel);
  }
  // The engine then has the method of its class again.
  Reflect.deleteProperty(tf.engine(), 'addTapeNode');
}
