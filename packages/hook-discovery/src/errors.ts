import { HooklineError } from '@hookline/hook-api';

export type DiscoveryErrorCode =
  | 'AMBIGUOUS_HOOK'
  | 'COMMAND_REJECTED'
  | 'DUPLICATE_HOOK'
  | 'HOOKS_OPTION'
  | 'HOOK_EXPORT'
  | 'HOOK_FACTORY'
  | 'HOOK_FILE'
  | 'HOOK_IMPORT'
  | 'HOOK_LOADED'
  | 'HOOK_NAME'
  | 'HOOK_NOT_INSTALLED'
  | 'HOOK_OPTIONS'
  | 'NOT_A_COMMAND'
  | 'NOT_A_HOOK'
  | 'NO_PROJECT'
  | 'PACKAGE_JSON'
  | 'PLUGINS_FAILED'
  | 'PLUGIN_REJECTED'
  | 'UNKNOWN_HOOK';

/** An error about finding, choosing or loading hooks: what was wrong, where, what was expected, what to do. */
export function discoveryError(code: DiscoveryErrorCode, message: string, cause?: unknown): HooklineError {
  return new HooklineError(code, message, cause === undefined ? undefined : { cause });
}

/** An error from a hook's own code. One of Hookline's keeps its code: it says already what is wrong. */
export function failedInHook(code: DiscoveryErrorCode, message: string, cause: unknown): HooklineError {
  // By shape: the hook may have another copy of hook-api.
  const { name, code: itsOwn } = Object(cause) as { name?: unknown; code?: unknown };
  const known = name === 'HooklineError' && typeof itsOwn === 'string';
  return new HooklineError(known ? itsOwn : code, message, { cause });
}

export function duplicateHook(name: string, first: string, second: string): HooklineError {
  return discoveryError(
    'DUPLICATE_HOOK',
    `Two hooks are named "${name}": one from ${first}, one from ${second}. ` +
      'State is saved by name: give one of them another name, or leave it out.',
  );
}

export function optionsForInstance(name: string): HooklineError {
  return discoveryError(
    'HOOK_OPTIONS',
    `Hook "${name}" was given options, but it is already made. Pass its class or factory with the options, or make it with them.`,
  );
}

/** Refuses a promise of hooks, or of their options: nobody would wait for it. */
export function refusePromise(value: unknown, what: string): void {
  if (typeof (Object(value) as { then?: unknown }).then !== 'function') return;
  throw discoveryError(
    'NOT_A_HOOK',
    `${what} is a promise. Await it first, as in hooks: [await makeHook()], or pass the function that makes it: hooks: [makeHook].`,
  );
}

export function wrongKey(key: string, name: string): HooklineError {
  return discoveryError(
    'HOOK_NAME',
    `hooks["${key}"] holds a hook named "${name}": in a map, the key must be the hook's name. Use a list, or make them equal.`,
  );
}

/**
 * One error for everything that went wrong, so that nobody has to fix plugins one start at a time. `optional` names
 * the hooks or packages that were on only because they are installed.
 */
export function pluginsFailed(errors: readonly HooklineError[], optional: readonly string[]): HooklineError {
  const what = errors.length === 1 ? 'A hook' : `${errors.length} hooks`;
  const lines = errors.map(({ message }) => `\n  - ${message}`);
  const off = optional.map((name) => `"${name}": false`).join(', ');
  const fix = off === '' ? '' : `\nFix this, or train without: hooks: { ${off} }.`;
  return discoveryError(
    'PLUGINS_FAILED',
    `${what} could not be loaded:${lines.join('')}${fix}`,
    new AggregateError(errors, 'Hooks could not be loaded'),
  );
}
