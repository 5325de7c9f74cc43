import type { SharedKey, SharedMap } from '@hookline/hook-api';

/** The data that the hooks of one run leave for one another. */
export function createSharedMap(): SharedMap {
  const values = new Map<string, unknown>();
  return Object.freeze<SharedMap>({
    get: <Value>(key: SharedKey<Value>) => values.get(key.name) as Value | undefined,
    set: (key, value) => void values.set(key.name, value),
    has: (key) => values.has(key.name),
    delete: (key) => values.delete(key.name),
  });
}
