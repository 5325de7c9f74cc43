import { AsyncLocalStorage } from 'node:async_hooks';
import type { AsyncScope } from '../contract.js';

export function createAsyncScope(): AsyncScope {
  const storage = new AsyncLocalStorage<boolean>();
  return {
    get: () => storage.getStore(),
    run: (value, section) => storage.run(value, section),
    // Until then Node follows every promise of the process, which makes each of them slower.
    end: () => storage.disable(),
  };
}
