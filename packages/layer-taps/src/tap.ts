import type { LayersModel } from '@tensorflow/tfjs-layers';
import { LayerTapsError } from './errors.js';
import { addTap, watchCalls } from './layer-override.js';
import { layerTree } from './layer-tree.js';
import { isModule, type TappableModel, type TappableModule } from './module.js';
import { addModuleTap } from './module-override.js';
import { noMatch } from './no-match.js';
import { type PathFilter, type PathTest, pathTests } from './path-filter.js';
import { handlersOf, type TapHandler, type TapHandlers } from './tap-handlers.js';
import { ancestors, tappedPaths } from './tapped-paths.js';

export interface Tap {
  /** The layers that are tapped, in the order of the model; of a module, the points seen so far. */
  readonly paths: readonly string[];
  /** A second call does nothing. A layer call that is running still finishes with this tap. */
  remove(): void;
  /** What `using` calls. Where the engine does not know `Symbol.dispose`, there is only `remove`. */
  [Symbol.dispose](): void;
}

export interface TapOptions {
  /** A filter that matches nothing is not an error. Default false. */
  optional?: boolean;
}

/**
 * Calls the handlers at each call of the layers that match. Several taps on a layer run in the order in which they
 * were added, each on what the one before returned. A handler that throws ends the pass with its error.
 *
 * The points of a module are known only when it runs: a filter that matches none ends the first pass with the error.
 */
export function tap(
  model: TappableModel,
  filter: PathFilter,
  handler: TapHandler | TapHandlers,
  { optional = false }: TapOptions = {},
): Tap {
  const handlers = handlersOf(handler);
  const tests = pathTests(filter);
  if (tests.length === 0 && !optional) {
    throw new LayerTapsError(
      'NO_LAYER_MATCHES',
      'The list of paths to tap is empty. Name at least one layer.',
    );
  }
  return isModule(model)
    ? tapModule(model, tests, handlers, optional)
    : tapLayers(model, tests, handlers, optional);
}

function tapLayers(
  model: LayersModel,
  tests: readonly PathTest[],
  handlers: TapHandlers,
  optional: boolean,
): Tap {
  const tree = layerTree(model);
  const paths = tappedPaths(tree, tests, optional);
  const tapped = paths.map((path) => ({ path, layer: tree.paths.get(path)! }));
  const around = ancestors(
    tree,
    tapped.map(({ layer }) => layer),
  );
  return tapOf(paths, [
    ...[...around].map((layer) => watchCalls(layer)),
    ...tapped.map(({ path, layer }) => addTap(layer, { path, handlers })),
  ]);
}

function tapModule(
  module: TappableModule,
  tests: readonly PathTest[],
  handlers: TapHandlers,
  optional: boolean,
): Tap {
  if (handlers.input) {
    throw new LayerTapsError(
      'BAD_HANDLER',
      'A point of a module is one tensor and has no inputs to see. Tap its output, or the point before it.',
    );
  }
  const known = new Map<string, boolean>();
  const paths: string[] = [];
  const wants = (path: string): boolean => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const wanted = tests.some((test) => test.matches(path));
    known.set(path, wanted);
    if (wanted) paths.push(path);
    return wanted;
  };
  let isChecked = optional;
  const onPassEnd = (passed: readonly string[]): void => {
    if (isChecked) return;
    isChecked = true;
    const missed = tests.find((test) => !passed.some((path) => test.matches(path)));
    if (missed) throw noMatch('point', new Map(passed.map((path) => [path, path])), missed);
  };
  return tapOf(paths, [addModuleTap(module, { wants, handlers, onPassEnd })]);
}

function tapOf(paths: readonly string[], removers: readonly (() => void)[]): Tap {
  let pending = removers;
  const remove = (): void => {
    const now = pending;
    pending = [];
    for (const removeOne of now) removeOne();
  };
  const disposable = Symbol.dispose ? { [Symbol.dispose]: remove } : {};
  return { paths, remove, ...disposable } as Tap;
}
