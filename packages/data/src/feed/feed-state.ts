import type { Loader } from '../loaders/loader.js';
import type { Mix } from './mix.js';
import type { FeedPosition, LoaderPosition } from './turns.js';

/** The position of each loader, as JSON. */
export type FeedState = Omit<FeedPosition, 'loaders'> & { mix: string; loaders: SavedLoader[] };

type SavedLoader = LoaderPosition & { name: string; order: Record<string, string | number | boolean> };

/** What has changed about the data, in words. */
export function changesSince(
  { mix: mixBefore, loaders: before }: FeedState,
  mix: Mix,
  loaders: readonly Loader[],
): string[] {
  const names = (all: readonly { name: string }[]) => all.map(({ name }) => name).join(', ');
  if (names(before) !== names(loaders)) return [`loaders were ${names(before)} and are ${names(loaders)}`];
  if (mixBefore !== mix.id) return ['the loaders are combined differently'];
  return before.flatMap(({ name, order: was }, index) => {
    const is = loaders[index]!.order ?? {};
    return [...new Set([...Object.keys(was), ...Object.keys(is)])]
      .filter((key) => was[key] !== is[key] && !isUnknown(key, was, is))
      .map((key) =>
        key === 'data'
          ? `"${name}" has other values`
          : `${key} of "${name}" was ${was[key] ?? 'not set'} and is ${is[key] ?? 'not set'}`,
      );
  });
}

type Order = Readonly<Record<string, unknown>>;

/** What the values were is not known of positions that were saved by an older version; of another size, they differ. */
function isUnknown(key: string, was: Order, is: Order): boolean {
  return key === 'data' && (was.data === undefined || is.data === undefined || was.samples !== is.samples);
}
