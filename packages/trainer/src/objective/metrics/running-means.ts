import type { HostTensor } from '@hookline/hook-api';
import { withoutPrefix, withPrefix } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import type { CountedMean } from '../count.js';
import { RunningMean, type SavedMean } from './running-mean.js';

/** As JSON; the tensors are beside it. */
export type SavedMeans = [name: string, mean: SavedMean][];

/** Means over batches by name, each over the batches that had it; in the order in which they came first. */
export class RunningMeans {
  readonly #means = new Map<string, RunningMean>();

  /** The tensors stay the caller's. */
  add(name: string, mean: CountedMean): void {
    const known = this.#means.get(name) ?? new RunningMean();
    this.#means.set(name, known);
    known.add(mean);
  }

  /** They stay its own. */
  get tensors(): tf.Tensor[] {
    return [...this.#means.values()].flatMap(({ tensors }) => tensors);
  }

  /** The means by name, from the numbers of `tensors`. */
  of(numbers: readonly number[][]): [name: string, mean: number][] {
    let start = 0;
    return [...this.#means].map(([name, mean]) => {
      const from = start;
      start += mean.tensors.length;
      return [name, mean.of(numbers.slice(from, start))];
    });
  }

  /** The tensors stay its own. */
  save(): { state: SavedMeans; tensors: Record<string, tf.Tensor> } {
    const saved = [...this.#means].map(([name, mean]) => [name, mean.save()] as const);
    return {
      state: saved.map(([name, { state }]) => [name, state]),
      tensors: Object.assign({}, ...saved.map(([name, { tensors }]) => withPrefix(tensors, `${name}/`))),
    };
  }

  load(state: SavedMeans, tensors: Readonly<Record<string, HostTensor>>): void {
    this.dispose();
    for (const [name, saved] of state) {
      const mean = new RunningMean();
      this.#means.set(name, mean);
      mean.load(saved, withoutPrefix(tensors, `${name}/`));
    }
  }

  dispose(): void {
    tf.dispose(this.tensors);
    this.#means.clear();
  }
}

/** Names of the tensors without which means cannot be loaded. */
export function meanTensors(state: SavedMeans): string[] {
  return state.flatMap(([name, { counts, masked }]) => [
    ...counts.map(([count]) => `${name}/${count}`),
    ...(masked ? [`${name}/total`, `${name}/count`] : []),
  ]);
}
