import type { HostTensor, TrainingState } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { toHost } from './host-tensor.js';
import { isModule } from './tapped-forward.js';

export type Weights = Readonly<Record<string, tf.Variable>>;

/** Weights as they are now. Costs no copy: a clone shares its data until the variable gets new data. */
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

  async toHost(): Promise<Record<string, HostTensor>> {
    const host: Record<string, HostTensor> = {};
    for (const [path, , value] of this.#held) host[path] = await toHost(value);
    return host;
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
