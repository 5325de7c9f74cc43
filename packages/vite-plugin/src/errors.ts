import { HooklineError } from '@hookline/hook-api';

export type PluginErrorCode = 'HOOK_NOT_FOR_BROWSERS';

/** What the page throws when it loads a hook that only Node can run. */
export function notForBrowsers(who: string, hooks: readonly string[], why: string): HooklineError {
  const off = hooks.map((name) => `"${name}": false`).join(', ');
  return new HooklineError(
    'HOOK_NOT_FOR_BROWSERS' satisfies PluginErrorCode,
    `${who} does not run in a browser: ${why}. Switch it off there with hooks: { ${off} }, or leave its package out of the bundle with hookline({ exclude: [...] }).`,
  );
}
