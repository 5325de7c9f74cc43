import type { HostTensor } from '@hookline/hook-api';
import { fromHost } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import type { CountedMean } from '../count.js';

/** A running mean as JSON; its tensors are beside it. */
export type SavedMean = {
  /** Means by count, in the order in which they are added: [count, batches]. */
  counts: [number, number][];
  /** Whether there are also means whose counts are on the device. */
  masked?: true;
};

/** The mean over batches of their means, each weighted by its count. Counts that the host knows cost no operation. */
export class RunningMean {
  /** One total for each count, weighted when it is read. */
  readonly #byCount = new Map<number, { total: tf.Tensor; batches: number }>();
  /** The sum of means times counts, and the sum of these counts. */
  #masked: { total: tf.Tensor; count: tf.Tensor } | undefined;

  /** The tensors stay the caller's. */
  add({ mean, count }: CountedMean): void {
    if (typeof count !== 'number') {
      const before = this.#masked;
      const share = tf.mul(mean, count);
      this.#masked = before
        ? { total: tf.add(before.total, share), count: tf.add(before.count, count) }
        : { total: tf.clone(share), count: tf.clone<tf.Tensor>(count) };
      tf.dispose([share, before] as tf.TensorContainer);
      return;
    }
    const same = this.#byCount.get(count);
    this.#byCount.set(count, {
      total: same ? tf.add(same.total, mean) : tf.clone<tf.Tensor>(mean),
      batches: (same?.batches ?? 0) + 1,
    });
    same?.total.dispose();
  }

  /** They stay its own. */
  get tensors(): tf.Tensor[] {
    const masked = this.#masked ? [this.#masked.total, this.#masked.count] : [];
    return [...[...this.#byCount.values()].map(({ total }) => total), ...masked];
  }

  /** The mean, from the numbers of its tensors. */
  of(numbers: readonly number[][]): number {
    let sum = 0;
    let counts = 0;
    [...this.#byCount].forEach(([count, { batches }], index) => {
      sum += numbers[index]![0]! * count;
      counts += count * batches;
    });
    if (this.#masked) {
      sum += numbers.at(-2)![0]!;
      counts += numbers.at(-1)![0]!;
    }
    // Everything was masked.
    return counts === 0 ? 0 : sum / counts;
  }

  /** The tensors stay its own. */
  save(): { state: SavedMean; tensors: Record<string, tf.Tensor> } {
    const counts = [...this.#byCount];
    return {
      state: {
        counts: counts.map(([count, { batches }]) => [count, batches]),
        ...(this.#masked && { masked: true as const }),
      },
      tensors: { ...Object.fromEntries(counts.map(([count, { total }]) => [count, total])), ...this.#masked },
    };
  }

  load({ counts, masked }: SavedMean, tensors: Readonly<Record<string, HostTensor>>): void {
    for (const [count, batches] of counts)
      this.#byCount.set(count, { total: fromHost(tensors[count]!), batches });
    if (masked) this.#masked = { total: fromHost(tensors.total!), count: fromHost(tensors.count!) };
  }
}
