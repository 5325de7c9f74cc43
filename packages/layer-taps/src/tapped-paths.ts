import { LayerTapsError } from './errors.js';
import type { Layer } from './layer.js';
import type { LayerTree } from './layer-tree.js';
import { beginningOf, noMatch } from './no-match.js';
import type { PathTest } from './path-filter.js';

/** The paths that the filter means. Each entry of a list must match something, or be `optional`. */
export function tappedPaths(tree: LayerTree, tests: readonly PathTest[], optional: boolean): string[] {
  const tapped = new Set<string>();
  for (const test of tests) {
    const matching = [...tree.paths.keys()].filter((path) => test.matches(path));
    const callable = matching.filter((path) => tree.called.has(tree.paths.get(path)!));
    if (callable.length === 0 && !optional) {
      throw matching[0] ? neverCalled(tree, matching[0]) : noMatch('layer', knownPaths(tree), test);
    }
    for (const path of callable) tapped.add(path);
  }
  return [...tree.paths.keys()].filter((path) => tapped.has(path));
}

/** The layers around the given ones, up to the model itself, which is left out. */
export function ancestors(tree: LayerTree, layers: readonly Layer[]): Set<Layer> {
  const found = new Set<Layer>();
  const visit = (layer: Layer): void => {
    for (const parent of tree.parents.get(layer) ?? []) {
      if (found.has(parent)) continue;
      found.add(parent);
      visit(parent);
    }
  };
  layers.forEach(visit);
  return found;
}

function knownPaths({ paths }: LayerTree): Map<string, string> {
  return new Map([...paths].map(([path, { name }]) => [path, name]));
}

function neverCalled(tree: LayerTree, path: string): LayerTapsError {
  const inner = [...tree.paths.keys()].filter((other) => other.startsWith(`${path}/`));
  return new LayerTapsError(
    'LAYER_NEVER_CALLED',
    `"${path}" is a model that is the first layer of a Sequential. tfjs runs its layers in its place and never ` +
      `calls it, so a tap would see nothing. Tap one of its layers: ${beginningOf(inner)}.`,
  );
}
