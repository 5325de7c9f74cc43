import type { HostTensor, TrainingState } from '@hookline/hook-api';
import { copyToHost } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { isModule } from '../replay/tapped-forward.js';

export type Weights = Readonly<Record<string, tf.Variable>>;

/** Weights as they are now, without a copy: a clone shares its data until the variable gets new data. */
export class HeldWeights {
  readonly #held: [path: string, variable: tf.Variable, value: tf.Tensor][];

  constructor(weights: Weights) {
    this.#held = Object.entries(weights).map(([path, variable]) => [path, variable, tf.clone(variable)]);
  }

  putBack(): void {
    for (const [, variable, value] of this.#held) variable.assign(value);
  }

  values(): [path: string, value: tf.Tensor][] {
    return this.#held.map(([path, , value]) => [path, value]);
  }

  toHost(): Promise<Record<string, HostTensor>> {
    return copyToHost(Object.fromEntries(this.values()));
  }

  release(): void {
    tf.dispose(this.#held.map(([, , value]) => value));
    this.#held.length = 0;
  }
}

/** The weights that a forward pass may change although nothing trains them, such as moving averages. */
export function buffersOf({ model, parameters }: Pick<TrainingState, 'model' | 'parameters'>): Weights {
  const declared = isModule(model) ? (model.buffers?.() ?? {}) : {};
  return Object.fromEntries(
    Object.entries(parameters).filter(([path, { trainable }]) => !trainable || Object.hasOwn(declared, path)),
  );
}
