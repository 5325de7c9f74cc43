import type { Hook } from '@hookline/hook-api';

/** Tells a hook from options that happen to have a `name`: a hook has methods of events, or a class. */
export function looksLikeHook(value: unknown): value is Hook {
  if (typeof value !== 'object' || value === null || !('name' in value)) return false;
  if (Object.getPrototypeOf(value) !== Object.prototype) return true;
  return Object.entries(value).some(
    ([key, method]) => typeof method === 'function' && /^((on|transform)[A-Z]|setup$|teardown$)/.test(key),
  );
}
