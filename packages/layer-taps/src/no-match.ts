import { LayerTapsError } from './errors.js';
import { nearestPaths } from './nearest-paths.js';
import type { PathTest } from './path-filter.js';

/** What can be tapped: paths, each with another name that people may have meant. */
export type KnownPaths = ReadonlyMap<string, string>;

/** A part of a filter matched nothing: says so, with what it could have meant. */
export function noMatch(thing: 'layer' | 'point', known: KnownPaths, { source }: PathTest): LayerTapsError {
  if (known.size === 0) return new LayerTapsError('NO_LAYER_MATCHES', NOTHING[thing]);
  const [what, hint] =
    typeof source === 'string'
      ? [`"${source}"`, `Nearest: ${nearestPaths(source.replaceAll('*', ''), known, 3).join(', ')}.`]
      : [
          typeof source === 'function' ? 'the given function' : String(source),
          `It has ${beginningOf([...known.keys()])}.`,
        ];
  return new LayerTapsError(
    'NO_LAYER_MATCHES',
    `No ${thing} of the model matches ${what}. ${hint} ${COUNT[thing](known.size)}`,
  );
}

export function beginningOf(paths: readonly string[]): string {
  const shown = paths.slice(0, 8).join(', ');
  return paths.length > 8 ? `${shown}, ...` : shown;
}

const NOTHING = {
  layer: 'The model has no layers to tap yet. Add its layers first.',
  point:
    "The module's forward named no point to tap. Call `tap(path, tensor)` of its options there, and continue with what it returns.",
};

const COUNT = {
  layer: (count: number) => `layerPaths(model) lists all ${count}.`,
  point: (count: number) => `Its forward passed ${count === 1 ? 'one point' : `${count} points`}.`,
};
