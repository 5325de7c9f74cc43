import type { HostTensor } from '@hookline/hook-api';
import { fromHost } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import type { CountedSums } from './metric.js';

/** The sums of a metric over batches, and what they are sums of. */
export class MetricTotal {
  #sums: tf.Tensor | undefined;
  /** What the host knows of the count, and what is on the device. */
  #known = 0;
  #masked: tf.Tensor | undefined;

  /** The tensors stay the caller's. */
  add({ sums, count }: CountedSums): void {
    this.#sums = added(this.#sums, sums);
    if (typeof count === 'number') this.#known += count;
    else this.#masked = added(this.#masked, count);
  }

  /** They stay its own. */
  get tensors(): tf.Tensor[] {
    return [this.#sums, this.#masked].filter((tensor) => tensor !== undefined);
  }

  /** The sums and their count, from the numbers of its tensors. */
  of([sums, masked]: readonly number[][]): [sums: readonly number[], count: number] {
    return [sums!, this.#known + (masked?.[0] ?? 0)];
  }

  /** The tensors stay its own. */
  save(): { count: number; tensors: Record<string, tf.Tensor> } {
    return {
      count: this.#known,
      tensors: { sums: this.#sums!, ...(this.#masked && { count: this.#masked }) },
    };
  }

  load(count: number, tensors: Readonly<Record<string, HostTensor>>): void {
    this.dispose();
    this.#known = count;
    this.#sums = fromHost(tensors.sums!);
    if (tensors.count) this.#masked = fromHost(tensors.count);
  }

  dispose(): void {
    tf.dispose(this.tensors);
    this.#sums = this.#masked = undefined;
    this.#known = 0;
  }
}

function added(total: tf.Tensor | undefined, next: tf.Tensor): tf.Tensor {
  if (!total) return tf.clone(next);
  const sum = tf.add(total, next);
  total.dispose();
  return sum;
}
