import type { Gradients } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';

/** Adds up the gradients of the batches that make one optimizer step. */
export class GradientSum {
  #sum: Record<string, tf.Tensor> = {};
  #batches = 0;

  get batches(): number {
    return this.#batches;
  }

  /** Takes the gradients over. */
  add(gradients: Record<string, tf.Tensor>): void {
    this.#batches++;
    if (this.#batches === 1) {
      this.#sum = gradients;
      return;
    }
    for (const [path, gradient] of Object.entries(gradients)) {
      const before = this.#sum[path];
      this.#sum[path] = before ? tf.add(before, gradient) : gradient;
      if (before) tf.dispose([before, gradient]);
    }
  }

  /** The mean over the batches; it belongs to the caller, and the sum starts anew. */
  take(): Record<string, tf.Tensor> {
    const [sum, batches] = [this.#sum, this.#batches];
    this.#sum = {};
    this.#batches = 0;
    if (batches < 2) return sum;
    const mean = tf.tidy(() => mapTensors(sum, (gradient) => tf.div(gradient, batches)));
    tf.dispose(Object.values(sum));
    return mean;
  }

  dispose(): void {
    tf.dispose(Object.values(this.take()));
  }
}

function mapTensors(tensors: Gradients, map: (tensor: tf.Tensor) => tf.Tensor): Record<string, tf.Tensor> {
  return Object.fromEntries(Object.entries(tensors).map(([path, tensor]) => [path, map(tensor)]));
}
