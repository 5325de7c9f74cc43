import { LayerTapsError } from './errors.js';
import type { Layer } from './layer.js';
import type { LayerTree } from './layer-tree.js';
import { nearestPaths } from './nearest-paths.js';
import { type PathFilter, type PathTest, pathTests } from './path-filter.js';

/** The paths that the filter means. Each entry of a list must match something: one that does not is a mistake. */
export function tappedPaths(tree: LayerTree, filter: PathFilter): string[] {
  const tests = pathTests(filter);
  if (tests.length === 0) {
    throw new LayerTapsError(
      'NO_LAYER_MATCHES',
      'The list of paths to tap is empty. Name at least one layer.',
    );
  }
  const tapped = new Set<string>();
  for (const test of tests) {
    const matching = [...tree.paths.keys()].filter((path) => test.matches(path));
    const callable = matching.filter((path) => tree.called.has(tree.paths.get(path)!));
    if (callable.length === 0) throw matching[0] ? neverCalled(tree, matching[0]) : noMatch(tree, test);
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

function noMatch(tree: LayerTree, { source }: PathTest): LayerTapsError {
  const known = [...tree.paths.keys()];
  if (known.length === 0) {
    return new LayerTapsError(
      'NO_LAYER_MATCHES',
      'The model has no layers to tap yet. Add its layers first.',
    );
  }
  const [what, hint] =
    typeof source === 'string'
      ? [`"${source}"`, `Nearest: ${nearestPaths(source.replaceAll('*', ''), tree.paths, 3).join(', ')}.`]
      : [
          typeof source === 'function' ? 'the given function' : String(source),
          `It has ${beginningOf(known)}.`,
        ];
  return new LayerTapsError(
    'NO_LAYER_MATCHES',
    `No layer of the model matches ${what}. ${hint} layerPaths(model) lists all ${known.length}.`,
  );
}

function beginningOf(paths: readonly string[]): string {
  const shown = paths.slice(0, 8).join(', ');
  return paths.length > 8 ? `${shown}, ...` : shown;
}

function neverCalled(tree: LayerTree, path: string): LayerTapsError {
  const inner = [...tree.paths.keys()].filter((other) => other.startsWith(`${path}/`));
  return new LayerTapsError(
    'LAYER_NEVER_CALLED',
    `"${path}" is a model that is the first layer of a Sequential. tfjs runs its layers in its place and never ` +
      `calls it, so a tap would see nothing. Tap one of its layers: ${beginningOf(inner)}.`,
  );
}
