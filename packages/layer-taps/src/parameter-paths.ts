import type { LayersModel, LayerVariable } from '@tensorflow/tfjs-layers';
import { childLayers } from './child-layers.js';
import { LayerTapsError } from './errors.js';
import type { Layer } from './layer.js';
import { layerPaths } from './layer-paths.js';

export interface ParameterPath {
  /** `encoder/dense_1/kernel`. */
  readonly path: string;
  readonly variable: LayerVariable;
  /** The layer that made the weight: for an LSTM its cell. */
  readonly layer: Layer;
  readonly layerPath: string;
}

/**
 * Every weight of `model.weights` once, trainable or not, in definition order: freezing a layer moves nothing,
 * unlike in `model.weights`.
 */
export function parameterPaths(model: LayersModel): readonly ParameterPath[] {
  const layers = layerPaths(model);
  if (model.layers.length === 0) {
    throw new LayerTapsError(
      'MODEL_NOT_BUILT',
      `The model "${model.name}" has no layers yet, so it has no weights to name. Add its layers first.`,
    );
  }
  const unnamed = new Set(model.weights);
  const parameters = new Map<string, ParameterPath>();
  for (const [layerPath, layer] of [['', model] as const, ...layers]) {
    for (const variable of ownWeights(layer)) {
      if (!unnamed.delete(variable)) continue;
      const path = freePath(parameters, layerPath, variable);
      parameters.set(path, { path, variable, layer, layerPath });
    }
  }
  return [...parameters.values()];
}

/** Wrappers and models list the weights of the layers inside them as theirs; those belong to the inner layers. */
function ownWeights(layer: Layer): LayerVariable[] {
  const inner = new Set(childLayers(layer).flatMap((child) => child.layer.weights));
  // tfjs lists trainable weights first; ids grow in the order in which the weights were made.
  return layer.weights.filter((variable) => !inner.has(variable)).sort((a, b) => a.id - b.id);
}

/**
 * The last segment of the variable's name is the name the layer gave it; what stands before it holds generated layer
 * names. A custom layer that hides its parts can have two kernels: the second becomes `kernel_2`.
 */
function freePath(
  taken: ReadonlyMap<string, unknown>,
  layerPath: string,
  { originalName }: LayerVariable,
): string {
  const name = originalName.slice(originalName.lastIndexOf('/') + 1);
  const path = layerPath === '' ? name : `${layerPath}/${name}`;
  let free = path;
  for (let n = 2; taken.has(free); n++) free = `${path}_${n}`;
  return free;
}
