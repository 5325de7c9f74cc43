import type { RandomGenerator, RandomWords } from '@hookline/numerics';
import type { HeldOptimizer, Optimizer, Parameter } from '@hookline/optimizers';
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
  /** One for each optimizer, where a part makes several updates. */
  readonly optimizers?: readonly HeldOptimizer[];
  /** Undoes what the forward pass did to values and states; the random state stays as it is. */
  putBack(): void;
  release(): void;
}

/** What a forward pass can change. */
export interface Stateful {
  readonly trainable: Trainable;
  readonly random: RandomGenerator;
  readonly optimizers: readonly Optimizer[];
}

/** The same with the weights and the optimizers: for a step that makes several updates, of which all count or none. */
export function holdStep(run: Stateful): HeldState {
  const weights = run.trainable.parameters.filter((parameter) => !run.trainable.buffers.includes(parameter));
  const held = holdState(run);
  const values = new Map([...held.values, ...clonesOf(weights)]);
  const optimizers = run.optimizers.map((optimizer) => optimizer.hold!());
  return {
    ...held,
    values,
    optimizers,
    putBack: () => {
      held.putBack();
      for (const { variable } of weights) variable.assign(values.get(variable)!);
      for (const optimizer of optimizers) optimizer.putBack();
    },
    release: () => {
      held.release();
      tf.dispose(weights.map(({ variable }) => values.get(variable)!));
      for (const optimizer of optimizers) optimizer.release();
    },
  };
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
  const values = clonesOf(trainable.buffers);
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

function clonesOf(parameters: readonly Parameter[]): Map<tf.Variable, tf.Tensor> {
  return new Map(parameters.map(({ variable }) => [variable, tf.keep(tf.clone<tf.Tensor>(variable))]));
}

const NO_VALUES: HeldState['values'] = new Map();

function doNothing(): void {}
