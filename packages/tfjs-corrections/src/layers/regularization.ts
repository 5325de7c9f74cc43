import { type Layer, layerPaths } from '@hookline/layer-taps';
import type { Scalar } from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';

/**
 * What the regularisers of a model add to its loss, each once. Stock leaves out those of RNN cells and of all layers
 * inside Bidirectional and custom layers, counts a layer as many times as it is used, and finds nothing in a
 * Sequential whose first layer is a model.
 */
export function regularizationOf(model: LayersModel): () => Scalar[] {
  const stock = stockMethods(model);
  const penalties = new Set<() => Scalar | Scalar[]>();
  const answersForItself: string[] = [];
  for (const [path, layer] of layerPaths(model)) {
    if (answersForItself.some((outer) => path.startsWith(`${outer}/`))) continue;
    if (stock.has(layer.calculateLosses)) {
      // A wrapper has the list of the layer inside it: the same functions, which count once.
      for (const penalty of layer.losses) penalties.add(penalty as () => Scalar);
    } else {
      // A custom layer with its own idea of its losses knows best, also of those inside it.
      answersForItself.push(path);
      penalties.add(() => layer.calculateLosses() as Scalar[]);
    }
  }
  const list = [...penalties];
  return () => list.flatMap((penalty) => penalty());
}

/** `calculateLosses` of layers and of models, in the copy of tfjs-layers that the model is from. */
function stockMethods(model: LayersModel): ReadonlySet<Layer['calculateLosses']> {
  const methods = new Set<Layer['calculateLosses']>();
  for (let next: object | null = model; next; next = Object.getPrototypeOf(next)) {
    if (Object.hasOwn(next, 'calculateLosses')) methods.add((next as Layer).calculateLosses);
  }
  return methods;
}
