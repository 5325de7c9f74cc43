import type { HostTensor } from '@hookline/hook-api';
import { fromHost } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import type { Parameter } from './optimizer.js';

export interface EmaOptions {
  /** How much of the average is kept at each step: 0.999 averages over about a thousand steps. */
  decay: number;
  /** Leaves the averaged weights in the model at the end of training; default false. */
  keep?: boolean;
}

/** An exponential moving average of the weights, kept beside them and swapped in for validation. */
export class WeightAverage {
  readonly #averages = new Map<string, tf.Tensor>();
  /** The weights of training, while the averages are in the model. */
  readonly #weights = new Map<tf.Variable, tf.Tensor>();

  constructor(
    private readonly parameters: () => readonly Parameter[],
    private readonly decay: number,
  ) {}

  /** To be called after each optimizer step. A parameter's average starts at its first value. */
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

  /** Puts the averages into the model, until `swapOut`. */
  swapIn(): void {
    for (const { path, variable } of this.parameters()) {
      const average = this.#averages.get(path);
      if (!average) continue;
      // Swapped in twice, the variable holds an average already.
      if (!this.#weights.has(variable)) this.#weights.set(variable, tf.keep(tf.clone(variable)));
      variable.assign(average);
    }
  }

  /** Puts the weights of training back. */
  swapOut(): void {
    for (const [variable, weight] of this.#weights) variable.assign(weight);
    this.keepIn();
  }

  /** Leaves what is in the model now, because somebody has put other weights into it. */
  keepIn(): void {
    tf.dispose([...this.#weights.values()]);
    this.#weights.clear();
  }

  /** The weight of training, while the average is in the variable. */
  weightOf(variable: tf.Variable): tf.Tensor | undefined {
    return this.#weights.get(variable);
  }

  /** Puts the averages into the model for good. */
  settle(): void {
    for (const { path, variable } of this.parameters()) {
      const average = this.#averages.get(path);
      if (average) variable.assign(average);
    }
    this.keepIn();
  }

  /** By path. They still belong to this object. */
  get tensors(): Readonly<Record<string, tf.Tensor>> {
    return Object.fromEntries(this.#averages);
  }

  load(saved: Readonly<Record<string, HostTensor>>): void {
    this.#clear();
    for (const [path, tensor] of Object.entries(saved)) this.#averages.set(path, tf.keep(fromHost(tensor)));
  }

  dispose(): void {
    this.#clear();
    this.keepIn();
  }

  #clear(): void {
    tf.dispose([...this.#averages.values()]);
    this.#averages.clear();
  }
}
