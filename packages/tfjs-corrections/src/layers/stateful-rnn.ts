import type { Layer } from '@hookline/layer-taps';
import * as tf from '@tensorflow/tfjs-core';
import type { Correction } from './override.js';

export interface StatefulRnn {
  readonly stateful: boolean;
  keptStates: tf.Tensor[][];
  /** Absent until it is built. */
  readonly states_: readonly tf.Tensor[] | null;
  /** Copies what it is given. */
  resetStates(states: tf.Tensor[]): void;
}

/**
 * Stock: in training, a stateful RNN keeps its states of every batch until `resetStates()`, for the backward pass. But
 * what that needs the tape keeps by itself, so the old states go at the end of the forward pass.
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
