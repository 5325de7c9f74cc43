import type { Tensor } from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import { LayerTapsError } from './errors.js';
import type { Layer } from './layer.js';
import { addTap, watchCalls } from './layer-override.js';
import { layerTree } from './layer-tree.js';
import type { PathFilter } from './path-filter.js';
import { ancestors, tappedPaths } from './tapped-paths.js';

/** One call of a tapped layer. The tensors belong to the running pass: clone and `tf.keep` what should outlive it. */
export interface TapEvent {
  readonly path: string;
  readonly layer: Layer;
  /** For an RNN cell the input of the step, then the states. */
  readonly inputs: readonly Tensor[];
  /** The first output, or what an earlier tap put in its place. */
  readonly output: Tensor;
  readonly outputs: readonly Tensor[];
  readonly training: boolean;
  /** 0 for the first use of the layer in this forward pass, 1 for the second: shared layers, steps of an RNN. */
  readonly callIndex: number;
}

/**
 * Runs inside the forward pass, so it cannot wait for anything. What it returns replaces the output and becomes the
 * pass's: `predict` disposes it, so return a clone of a tensor you keep. Gradients flow through the replacement. A
 * layer with several outputs takes a list.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that only looks has no return statement.
export type TapHandler = (event: TapEvent) => Tensor | readonly Tensor[] | undefined | void;

export interface Tap {
  /** The layers that are tapped, in the order of the model. */
  readonly paths: readonly string[];
  /** A second call does nothing. A layer call that is running still finishes with this tap. */
  remove(): void;
  [Symbol.dispose](): void;
}

/**
 * Calls the handler after each call of the layers that match. Several taps on a layer run in the order in which they
 * were added, each on what the one before returned. A handler that throws ends the pass with its error.
 */
export function tap(model: LayersModel, filter: PathFilter, handler: TapHandler): Tap {
  if (typeof handler !== 'function') {
    throw new LayerTapsError('BAD_HANDLER', `A tap needs a function to call; got ${typeof handler}.`);
  }
  const tree = layerTree(model);
  const paths = tappedPaths(tree, filter);
  const tapped = paths.map((path) => ({ path, layer: tree.paths.get(path)! }));
  const around = ancestors(
    tree,
    tapped.map(({ layer }) => layer),
  );
  let removers = [
    ...[...around].map((layer) => watchCalls(layer)),
    ...tapped.map(({ path, layer }) => addTap(layer, { path, handler })),
  ];
  const remove = (): void => {
    const pending = removers;
    removers = [];
    for (const removeOne of pending) removeOne();
  };
  return { paths, remove, [Symbol.dispose]: remove };
}
