import type { HostTensor } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import type { Parameter } from './model/trainable.js';
import { fromHost, toHost } from './tensors.js';

export interface EmaOptions {
  /** How much of the average stays at each step: 0.999 looks back over about a thousand steps. */
  decay: number;
  /** Leaves the averaged weights in the model when the fit is over; false when absent. */
  keep?: boolean;
}

/** An exponential moving average of the weights, kept beside them and swapped in for validation. */
export class WeightAverage {
  readonly #averages = new Map<string, tf.Tensor>();

  constructor(
    private readonly parameters: () => readonly Parameter[],
    private readonly decay: number,
  ) {}

  /** After an optimizer step. A parameter's average begins with its first value. */
  update(): void {
    for (const { path, variable } of this.parameters()) {
      const before = this.#averages.get(path);
      const next = tf.tidy(() =>
        before ? tf.add(tf.mul(before, this.decay), tf.mul(variable, 1 - this.decay)) : tf.clone(variable),
      );
      before?.dispose();
      this.#averages.set(path, tf.keep(next));
    }
  }

  /** Puts the averages into the model, and returns how to put the weights back. */
  swapIn(): () => void {
    const weights = new Map<tf.Variable, tf.Tensor>();
    for (const { path, variable } of this.parameters()) {
      const average = this.#averages.get(path);
      if (!average) continue;
      weights.set(variable, tf.keep(tf.clone(variable)));
      variable.assign(average);
    }
    return () => {
      for (const [variable, value] of weights) {
        variable.assign(value);
        value.dispose();
      }
      weights.clear();
    };
  }

  /** Leaves the averages in the model for good. */
  settle(): void {
    for (const { path, variable } of this.parameters()) {
      const average = this.#averages.get(path);
      if (average) variable.assign(average);
    }
  }

  async save(): Promise<Record<string, HostTensor>> {
    const saved: Record<string, HostTensor> = {};
    for (const [path, average] of this.#averages) saved[path] = await toHost(average);
    return saved;
  }

  load(saved: Readonly<Record<string, HostTensor>>): void {
    this.dispose();
    for (const [path, tensor] of Object.entries(saved)) this.#averages.set(path, tf.keep(fromHost(tensor)));
  }

  dispose(): void {
    tf.dispose([...this.#averages.values()]);
    this.#averages.clear();
  }
}
