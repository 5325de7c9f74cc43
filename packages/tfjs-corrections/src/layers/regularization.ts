import { type Layer, layerPaths } from '@hookline/layer-taps';
import type { Scalar } from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';

/**
 * What the regularisers of a model add to its loss, each counted once. Stock ignores those of RNN cells and of all layers
 * inside Bidirectional and custom layers, counts a layer as many times as it is used, and finds none in a Sequential whose
 * first layer is a model.
 */
export function regularizationOf(model: LayersModel): () => Scalar[] {
  const stock = stockMethods(model);
  const penalties = new Set<() => Scalar | Scalar[]>();
  const answersForItself: string[] = [];
  for (const [path, layer] of layerPaths(model)) {
    if (answersForItself.some((outer) => path.startsWith(`${outer}/`))) continue;
    if (stock.has(layer.calculateLosses)) {
      // A wrapper shares the list of the layer inside it: the same functions, which the set holds once.
      for (const penalty of layer.losses) penalties.add(penalty as () => Scalar);
    } else {
      // A custom layer that computes its losses itself also knows about the layers inside it.
      answersForItself.push(path);
      penalties.add(() => layer.calculateLosses() as Scalar[]);
    }
  }
  const list = [...penalties];
  return () => list.flatMap((penalty) => penalty());
}

/** `calculateLosses` of layers and of models, in the model's copy of tfjs-layers. */
function stockMethods(model: LayersModel): ReadonlySet<Layer['calculateLosses']> {
  const methods = new Set<Layer['calculateLosses']>();
  for (let next: object | null = model; next; next = Object.getPrototypeOf(next)) {
    if (Object.hasOwn(next, 'calculateLosses')) methods.add((next as Layer).calculateLosses);
  }
  return methods;
}
