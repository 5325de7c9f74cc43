import { layerPaths } from '@hookline/layer-taps';
import { isStatefulRnn, type StatefulRnn } from '@hookline/tfjs-corrections';
import * as tf from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';

/** What layers remember from batch to batch beside their weights, by `<path of the layer>/<number>`. */
export interface LayerStates {
  /** They stay the layers' own. */
  read(): Readonly<Record<string, tf.Tensor>>;
  /** Copies; those that fit no layer are left out. */
  write(states: Readonly<Record<string, tf.Tensor>>): void;
}

export const NO_LAYER_STATES: LayerStates = { read: () => ({}), write: () => {} };

/** The states of stateful RNNs. */
export function layerStatesOf(model: LayersModel): LayerStates {
  const rnns = [...layerPaths(model)].flatMap(([path, layer]): [string, StatefulRnn][] =>
    isStatefulRnn(layer) ? [[path, layer as unknown as StatefulRnn]] : [],
  );
  if (rnns.length === 0) return NO_LAYER_STATES;
  return {
    read: () =>
      Object.fromEntries(
        rnns.flatMap(([path, { states_ }]) =>
          (states_ ?? []).map((state, index) => [`${path}/${index}`, state] as const),
        ),
      ),
    write: (states) => {
      for (const [path, rnn] of rnns) {
        const mine = (rnn.states_ ?? []).map((state, index) => [state, states[`${path}/${index}`]] as const);
        const fits = mine.every(([state, saved]) => saved && tf.util.arraysEqual(saved.shape, state.shape));
        if (mine.length > 0 && fits) rnn.resetStates(mine.map(([, saved]) => saved!));
      }
    },
  };
}
