import type { Hook } from '@hookline/hook-api';

/** The hook under another name, as when a user runs one hook twice. */
export function namedHook<Made extends Hook>(hook: Made, name: string): Made {
  return Object.defineProperty(hook, 'name', { value: name });
}
