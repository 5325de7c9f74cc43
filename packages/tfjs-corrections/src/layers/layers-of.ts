import { type Layer, layerPaths } from '@hookline/layer-taps';
import type { LayersModel } from '@tensorflow/tfjs-layers';

/** Every layer of a model once, at any depth: also those in inner models, wrappers, RNN cells and custom layers. */
export function layersOf(model: LayersModel): Layer[] {
  return [...layerPaths(model).values()];
}

/** The models inside a model. */
export function innerModels(layers: readonly Layer[]): LayersModel[] {
  return layers.filter(isModel);
}

/** By shape, so that it works with another copy of tfjs-layers. */
export function isModel(layer: Layer): layer is LayersModel {
  const { layers, inputs } = layer as Partial<LayersModel>;
  return Array.isArray(layers) && Array.isArray(inputs);
}
