import type { HostTensor } from '@hookline/hook-api';
import { fromHost } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import type { Logged } from './logged-values.js';

/** Names with the samples over which each is a mean; JSON. */
export type LoggedState = [name: string, samples: number][];

/** The means over batches of what was logged, each over the batches that logged it; on the device until they are read. */
export class LoggedMeans {
  readonly #totals = new Map<string, { total: tf.Tensor; samples: number }>();

  /** The tensors stay the caller's. */
  add(logged: Logged, samples: number): void {
    for (const [name, value] of Object.entries(logged)) {
      const before = this.#totals.get(name);
      const total = tf.tidy(() => {
        const weighted = tf.mul(value, samples);
        return before ? tf.add(before.total, weighted) : weighted;
      });
      before?.total.dispose();
      this.#totals.set(name, { total, samples: (before?.samples ?? 0) + samples });
    }
  }

  /** To be read; they stay its own. */
  get tensors(): tf.Tensor[] {
    return [...this.#totals.values()].map(({ total }) => total);
  }

  /** By prefixed name, from the numbers of `tensors`. */
  means(numbers: readonly number[][], prefix: string): Record<string, number> {
    return Object.fromEntries(
      [...this.#totals].map(([name, { samples }], index) => [
        `${prefix}/${name}`,
        numbers[index]![0]! / samples,
      ]),
    );
  }

  /** The tensors stay its own. */
  save(): { tensors: Record<string, tf.Tensor>; state: LoggedState } {
    const all = [...this.#totals];
    return {
      tensors: Object.fromEntries(all.map(([name, { total }]) => [`logged/${name}`, total])),
      state: all.map(([name, { samples }]) => [name, samples]),
    };
  }

  load(state: LoggedState, tensors: Readonly<Record<string, HostTensor>>): void {
    this.dispose();
    for (const [name, samples] of state)
      this.#totals.set(name, { total: fromHost(tensors[`logged/${name}`]!), samples });
  }

  dispose(): void {
    tf.dispose(this.tensors);
    this.#totals.clear();
  }
}
