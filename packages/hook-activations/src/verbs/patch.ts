import type { PathFilter, TapSpec } from '@hookline/layer-taps';
import type { ActivationCache } from './activation-cache.js';
import { type Part, replacePart } from './part-of.js';

export interface PatchOptions {
  /** Only these positions, such as one head or one token. Default all. */
  at?: Part;
}

/**
 * Puts the activations of another run in place: those of `from`, at the points that the filter means. States of RNN
 * cells are patched with their output.
 *
 * @example run(model, corrupted, { taps: [patch(clean.cache, 'encoder/dense_1')] })
 */
export function patch(from: ActivationCache, filter: PathFilter, { at }: PatchOptions = {}): TapSpec {
  return [
    filter,
    ({ path, callIndex, outputs }) => {
      const patched = from.outputs(path, callIndex);
      // Without a part the shapes are checked by the tap, which names both.
      return at === undefined
        ? patched
        : outputs.map((output, index) => replacePart(path, output, patched[index]!, at));
    },
  ];
}
