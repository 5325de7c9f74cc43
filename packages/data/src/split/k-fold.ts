import type { DataLoader } from '../data-loader.js';
import { dataError } from '../errors.js';
import type { Data } from '../loaders-of.js';
import type { Source } from '../sources.js';
import { checkSplitOptions } from './check-split.js';
import { partsOf, type SplitOptions } from './part.js';
import { type Split, splitBy } from './split-data.js';

export interface Fold<Kind = DataLoader> extends Split<Kind> {
  /** From 0 on. */
  readonly fold: number;
}

/**
 * Divides the samples into `k` folds, drawn by the seed, whose sizes differ by at most one. Each is held back once, to
 * validate what was trained on the others. Nothing is copied.
 */
export function kFold(data: Source, k: number, options?: SplitOptions): Fold[];
export function kFold(data: Data, k: number, options?: SplitOptions): Fold<Data>[];
export function kFold(data: Data, k: number, options: SplitOptions = {}): Fold<Data>[] {
  checkSplitOptions(options, 'kFold()');
  if (!Number.isInteger(k) || k < 2) {
    throw dataError('BAD_OPTIONS', `kFold(): k is ${k}, expected a whole number of at least 2.`);
  }
  return Array.from({ length: k }, (_, fold) => {
    const places = (count: number, loader: string) => {
      if (count >= k) return [edge(fold, k, count), edge(fold + 1, k, count)] as const;
      throw dataError(
        'BAD_DATA',
        `The data of loader "${loader}" has ${count} samples, too few for ${k} folds: each needs at least one.`,
      );
    };
    return { fold, ...splitBy(data, options, (own) => partsOf(`fold ${fold} of ${k}`, places, own)) };
  });
}

/** Where a fold begins, and the one before it ends. */
function edge(fold: number, k: number, count: number): number {
  return Math.floor((fold * count) / k);
}
