import type { HostTensor } from '@hookline/hook-api';
import { fromHost } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';

type Tensors = Record<string, tf.Tensor>;

/** Adds up the gradients of the batches that make one optimizer step. */
export class GradientSum {
  #sum: Tensors = {};
  #batches = 0;

  get batches(): number {
    return this.#batches;
  }

  /** Takes the gradients over. */
  add(gradients: Tensors): void {
    this.#batches++;
    for (const [path, gradient] of Object.entries(gradients)) {
      const before = this.#sum[path];
      this.#sum[path] = before ? tf.add(before, gradient) : gradient;
      if (before) tf.dispose([before, gradient]);
    }
  }

  /**
   * The mean over the batches and one more, which it takes over; it belongs to the caller. The sum stays until
   * `clear`: a snapshot within the step goes back to before its last batch.
   */
  mean(last?: Tensors): Tensors {
    const batches = this.#batches + (last ? 1 : 0);
    if (last && batches === 1) return last;
    const paths = new Set([...Object.keys(this.#sum), ...Object.keys(last ?? {})]);
    return Object.fromEntries(
      [...paths].map((path) => [path, meanOf(this.#sum[path], last?.[path], batches)]),
    );
  }

  /** Starts over. */
  clear(): void {
    if (this.#batches === 0) return;
    tf.dispose(Object.values(this.#sum));
    this.#sum = {};
    this.#batches = 0;
  }

  /** The sums by path; they stay its own. */
  get tensors(): Readonly<Tensors> {
    return this.#sum;
  }

  load(batches: number, tensors: Readonly<Record<string, HostTensor>>): void {
    this.clear();
    this.#batches = batches;
    for (const [path, tensor] of Object.entries(tensors)) this.#sum[path] = fromHost(tensor);
  }
}

/** Disposes of `last` at once, so that a step never holds more than two sets of gradients. */
function meanOf(sum: tf.Tensor | undefined, last: tf.Tensor | undefined, batches: number): tf.Tensor {
  const mean = tf.tidy(() => {
    const total = sum && last ? tf.add(sum, last) : (sum ?? last)!;
    return batches === 1 ? tf.clone(total) : tf.div(total, batches);
  });
  last?.dispose();
  return mean;
}
