import { HooklineError } from '@hookline/hook-api';

/**
 * One error for all that went wrong, so that nobody has to mend plugins one start at a time. `optional` names
 * the hooks or packages that were on only because they are installed.
 */
export function pluginsFailed(errors: readonly HooklineError[], optional: readonly string[]): HooklineError {
  const what = errors.length === 1 ? 'A hook' : `${errors.length} hooks`;
  const lines = errors.map(({ message }) => `\n  - ${message}`);
  const off = optional.map((name) => `"${name}": false`).join(', ');
  const fix = off === '' ? '' : `\nMend this, or train without: hooks: { ${off} }.`;
  return new HooklineError('PLUGINS_FAILED', `${what} could not be loaded:${lines.join('')}${fix}`, {
    cause: new AggregateError(errors, 'Hooks could not be loaded'),
  });
}
