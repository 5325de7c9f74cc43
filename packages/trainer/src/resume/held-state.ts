import type { RandomGenerator, RandomWords } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { NO_LAYER_STATES } from '../model/layer-states.js';
import type { Trainable } from '../model/trainable.js';

/**
 * What a forward pass changes beside the gradients, as it was before it: the random state, values such as moving
 * averages, and the states of layers that have some. A snapshot in the middle of a batch goes back to them.
 */
export interface HeldState {
  readonly random: RandomWords;
  readonly values: ReadonlyMap<tf.Variable, tf.Tensor>;
  readonly layerStates: Readonly<Record<string, tf.Tensor>>;
  /** Undoes what the forward pass did to values and states; the random state stays as it is. */
  putBack(): void;
  release(): void;
}

/** What a forward pass can change. */
export interface Stateful {
  readonly trainable: Trainable;
  readonly random: RandomGenerator;
}

/** Costs no copy: a clone shares its data until the variable gets new data. */
export function holdState({ trainable, random }: Stateful): HeldState {
  // What most models have: nothing.
  if (trainable.buffers.length === 0 && trainable.layerStates === NO_LAYER_STATES) {
    return {
      random: random.save(),
      values: NO_VALUES,
      layerStates: {},
      putBack: doNothing,
      release: doNothing,
    };
  }
  const values = new Map(
    trainable.buffers.map(({ variable }) => [variable, tf.keep(tf.clone<tf.Tensor>(variable))]),
  );
  const layerStates = Object.fromEntries(
    Object.entries(trainable.layerStates.read()).map(([path, state]) => [path, tf.keep(tf.clone(state))]),
  );
  return {
    random: random.save(),
    values,
    layerStates,
    putBack: () => {
      for (const [variable, value] of values) variable.assign(value);
      trainable.layerStates.write(layerStates);
    },
    release: () => tf.dispose([...values.values(), ...Object.values(layerStates)]),
  };
}

const NO_VALUES: HeldState['values'] = new Map();

function doNothing(): void {}
