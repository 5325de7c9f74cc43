import { isModule, type Layer, layerPaths, type PathFilter, type TappableModel } from '@hookline/layer-taps';
import { activationsError } from '../errors.js';
import type { LayerChoice } from './manager-options.js';

/** The filter that selects the layer; a filter stays as it is. */
export function filterOf(model: TappableModel, choice: LayerChoice): PathFilter {
  if (!isLayerObject(choice)) return choice;
  const paths = isModule(model) ? [] : [...layerPaths(model)];
  const found = paths.find(([, layer]) => layer === choice);
  // A function, because a path could contain a star.
  if (found) return (path) => path === found[0];
  throw activationsError(
    'NO_LAYER_MATCHES',
    `The layer "${choice.name}" is not in the model. ${
      isModule(model)
        ? 'The points of a module are chosen by path.'
        : `It has: ${paths.map(([path]) => path).join(', ')}.`
    }`,
  );
}

function isLayerObject(choice: LayerChoice): choice is Layer {
  return typeof choice === 'object' && 'getClassName' in choice;
}
