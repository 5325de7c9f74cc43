import { activationsError } from '../errors.js';
import type { ActivationCache } from './activation-cache.js';
import type { Slice } from './part-of.js';

/** Where to change something: a whole activation, or one position of it. */
export interface Place {
  readonly path: string;
  readonly at: (Slice & { index: number }) | undefined;
}

/** Every path of the cache, taken apart along an axis where one is given. */
export function placesOf(cache: ActivationCache, along: number | undefined): Place[] {
  return [...cache.keys()].flatMap((path): Place[] => {
    if (along === undefined) return [{ path, at: undefined }];
    const { shape } = cache.tensor(path);
    const size = shape.at(along);
    if (size === undefined) {
      throw activationsError(
        'NO_SUCH_PART',
        `The activation of "${path}" has shape [${shape.join(', ')}] and no axis ${along} to go along. Narrow the filter.`,
      );
    }
    return Array.from({ length: size }, (_, index) => ({ path, at: { axis: along, index } }));
  });
}
