import { deriveSeed } from '@hookline/numerics';
import { isCombined } from '../combine.js';
import { DataLoader } from '../data-loader.js';
import { dataError } from '../errors.js';
import { type Data, isSingle, named, refuseOtherNames } from '../loaders-of.js';
import { isLoaderForRun, type Source } from '../sources.js';
import { cannotBeSplit, checkSplitOptions } from './check-split.js';
import { type Part, partsOf, type SplitOptions } from './part.js';

/** Data to train on, and data that was held back from it. */
export interface Split<Kind = DataLoader> {
  readonly train: Kind;
  readonly validation: Kind;
}

/**
 * Holds back a share of the samples for validation, drawn by the seed. Nothing is copied: both parts read the rows of
 * the same table. Several sources are split each.
 */
export function splitData(data: Source, share: number, options?: SplitOptions): Split;
export function splitData(data: Data, share: number, options?: SplitOptions): Split<Data>;
export function splitData(data: Data, share: number, options: SplitOptions = {}): Split<Data> {
  checkSplitOptions(options, 'splitData()');
  if (typeof share !== 'number' || !(share > 0 && share < 1)) {
    throw dataError(
      'BAD_OPTIONS',
      `splitData(): the share is ${share}, expected a number between 0 and 1, such as 0.2.`,
    );
  }
  return splitBy(data, options, (own) =>
    partsOf(
      `${share} held back`,
      (count, loader) => {
        const held = Math.round(count * share);
        if (held > 0 && held < count) return [count - held, count];
        throw dataError(
          'BAD_DATA',
          `The data of loader "${loader}" has ${count} samples: a share of ${share} holds back ${held} and leaves ${count - held}. Both parts need at least one sample: give more samples, or another share.`,
        );
      },
      own,
    ),
  );
}

/** Splits one source, or each of several, which then differ in their seeds. */
export function splitBy(
  data: Data,
  options: SplitOptions,
  partsFor: (options: SplitOptions) => Split<Part>,
): Split<Data> {
  refuseOtherNames(data, 'The data');
  if (isSingle(data)) return splitSource(data, 'The data', partsFor(options));
  const splits = named(isCombined(data) ? data.sources : data).map(([name, source]) => {
    const seed = deriveSeed(options.seed ?? 0, name);
    return [name, splitSource(source, `"${name}"`, partsFor({ ...options, seed }))] as const;
  });
  const pick = (side: keyof Split): Data => {
    const sources = Object.fromEntries(splits.map(([name, split]) => [name, split[side]]));
    return isCombined(data) ? { ...data, sources } : sources;
  };
  return { train: pick('train'), validation: pick('validation') };
}

function splitSource(source: Source, name: string, { train, validation }: Split<Part>): Split {
  const loader = isLoaderForRun(source) ? source : new DataLoader(source);
  if (!isDivisible(loader)) throw cannotBeSplit(name, 'a loader you wrote yourself');
  return {
    train: loader.part(train, name),
    // All of it, in its order: a measure must not depend on how training is done.
    validation: loader.part(validation, name, { shuffle: false, dropLast: false }),
  };
}

/** By shape: a DataLoader of another copy of this package is one, too. */
function isDivisible(loader: object): loader is DataLoader {
  return typeof (loader as Partial<DataLoader>).part === 'function';
}
