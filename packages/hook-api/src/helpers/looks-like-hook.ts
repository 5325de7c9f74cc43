import type { Hook } from '../hook.js';

/**
 * Tells a hook from options that happen to have a `name`: a hook is an instance of a class, or has a method that is
 * named like an event. Whether it is a correct one is for `assertHook` to say.
 */
export function looksLikeHook(value: unknown): value is Hook {
  if (typeof value !== 'object' || value === null || !('name' in value)) return false;
  if (Object.getPrototypeOf(value) !== Object.prototype) return true;
  return Object.entries(value).some(([key, method]) => typeof method === 'function' && EVENT.test(key));
}

// Mistyped events as well: their hook is to be reported, not taken for options.
const EVENT = /^((on|transform)[A-Z]|setup$|teardown$)/;
