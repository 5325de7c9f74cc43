import type { Layer } from '@hookline/layer-taps';
import * as tf from '@tensorflow/tfjs-core';
import type { Correction } from './override.js';

export interface StatefulRnn {
  readonly stateful: boolean;
  keptStates: tf.Tensor[][];
  /** Null until the layer is built. */
  readonly states_: readonly tf.Tensor[] | null;
  /** Copies what it is given. */
  resetStates(states: tf.Tensor[]): void;
}

/**
 * Stock: in training, a stateful RNN keeps the states of every batch until `resetStates()`, for the backward pass. The tape
 * already keeps what that needs, so here the old states are disposed at the end of the forward pass.
 */
export function statefulRnn(layers: readonly Layer[]): Correction | undefined {
  const rnns = layers.filter(isStatefulRnn) as unknown as StatefulRnn[];
  if (rnns.length === 0) return undefined;
  return () => () => {
    for (const rnn of rnns) {
      tf.dispose(rnn.keptStates);
      rnn.keptStates = [];
    }
  };
}

export function isStatefulRnn(layer: Layer): boolean {
  const { stateful, keptStates } = layer as unknown as Partial<StatefulRnn>;
  return stateful === true && Array.isArray(keptStates);
}
