import type { LayersModel } from '@tensorflow/tfjs-layers';
import type { Layer } from './layer.js';
import { layerTree } from './layer-tree.js';

/**
 * The path of every layer: `encoder/dense_1`, `td/layer`, `bidi/forward/cell`. Parents come before their children,
 * in the order in which the model defines them. The same code gives the same paths in every process.
 */
export function layerPaths(model: LayersModel): ReadonlyMap<string, Layer> {
  return layerTree(model).paths;
}
