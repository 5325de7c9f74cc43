import type { LayersModel } from '@tensorflow/tfjs-layers';
import { childLayers, isContainer } from './child-layers.js';
import { LayerTapsError } from './errors.js';
import { isLayer, type Layer } from './layer.js';

export interface LayerTree {
  /** Every layer below the root once, parents before their children. */
  readonly paths: ReadonlyMap<string, Layer>;
  /** All layers that hold a layer, the root left out; several for a shared layer. */
  readonly parents: ReadonlyMap<Layer, ReadonlySet<Layer>>;
  /** The layers that tfjs calls when the model runs; a model inlined into a Sequential is not among them. */
  readonly called: ReadonlySet<Layer>;
}

export function layerTree(model: LayersModel): LayerTree {
  if (!isLayer(model) || !isContainer(model)) {
    throw new LayerTapsError(
      'NOT_A_MODEL',
      'Expected a tf.LayersModel (from tf.sequential, tf.model or tf.loadLayersModel), or a module with a ' +
        'forward function to tap; the value given has no layers, inputs and outputs.',
    );
  }
  const paths = new Map<string, Layer>();
  const parents = new Map<Layer, Set<Layer>>();
  const called = new Set<Layer>();
  const visited = new Set<Layer>([model]);

  const visit = (parent: Layer, prefix: string): void => {
    for (const child of childLayers(parent)) {
      if (!child.inlined) called.add(child.layer);
      if (parent !== model) addTo(parents, child.layer, parent);
      // A shared layer has one path: where it is met first.
      if (visited.has(child.layer)) continue;
      visited.add(child.layer);
      const path = prefix + child.name;
      if (paths.has(path)) throw duplicatePath(path);
      paths.set(path, child.layer);
      visit(child.layer, `${path}/`);
    }
  };
  visit(model, '');
  return { paths, parents, called };
}

function addTo(parents: Map<Layer, Set<Layer>>, child: Layer, parent: Layer): void {
  const known = parents.get(child);
  if (known) known.add(parent);
  else parents.set(child, new Set([parent]));
}

function duplicatePath(path: string): LayerTapsError {
  return new LayerTapsError(
    'DUPLICATE_PATH',
    `Two layers of the model have the path "${path}". Paths name layers, so each must be unique: ` +
      'give one of the two another name (a slash in a name can look like a nested layer).',
  );
}
