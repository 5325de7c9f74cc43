import { layerPaths, parameterPaths, snakeCase } from '@hookline/layer-taps';
import type { LayersModel, layers } from '@tensorflow/tfjs-layers';

/**
 * The name that Keras gives to each weight of the same model (`variable.path` without the model's own name), by our
 * path. Layers that were not given a name are numbered as in a Python program that has built nothing else.
 */
export function kerasNames(model: LayersModel): ReadonlyMap<string, string> {
  const layersByPath = layerPaths(model);
  const counts = new Map<string, number>();
  const nextOf = (base: string) => {
    const count = counts.get(base) ?? 0;
    counts.set(base, count + 1);
    return count === 0 ? base : `${base}_${count}`;
  };
  const named = new Map<string, string>([['', '']]);
  for (const [path, layer] of layersByPath) {
    const cut = path.lastIndexOf('/');
    const parent = layersByPath.get(path.slice(0, Math.max(cut, 0)));
    const name = nameIn(parent, path.slice(cut + 1), layer, nextOf);
    named.set(path, `${named.get(path.slice(0, Math.max(cut, 0)))}${name}/`);
  }
  return new Map(
    parameterPaths(model).map(({ path, layerPath }) => {
      return [path, `${named.get(layerPath)}${path.slice(path.lastIndexOf('/') + 1)}`];
    }),
  );
}

/** The name of a layer inside its parent, where `segment` is what our path calls it. */
function nameIn(
  parent: layers.Layer | undefined,
  segment: string,
  layer: layers.Layer,
  nextOf: (base: string) => string,
): string {
  const base = snakeCase(layer.getClassName());
  // A Bidirectional makes both directions from one layer, which has used up one number.
  if (segment === 'forward') return `forward_${nextOf(base)}`;
  if (segment === 'backward') return `backward_${base}`;
  if (segment === 'cell' && parent) return base;
  const isGenerated =
    layer.name !== segment &&
    new RegExp(`(_${layer.getClassName()}|sequential_|model)\\d+$`).test(layer.name);
  return isGenerated ? nextOf(base) : layer.name;
}
