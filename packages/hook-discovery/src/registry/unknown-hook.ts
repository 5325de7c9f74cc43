import { BUILT_IN_ORDER, HooklineError, nearest } from '@hookline/hook-api';
import { BUILT_IN_PACKAGES } from '../built-in-packages.js';
import { discoverHooks } from '../discovery/discover-hooks.js';
import { builtInOwner } from '../discovery/name-claims.js';

/** The error for a name that no installed hook has: what it may have been, and how to get it. */
export function unknownHook(name: string, known: readonly string[], root: string): HooklineError {
  const builtIn = builtInOwner(name) ?? Object.values(BUILT_IN_PACKAGES).find((owner) => owner === name);
  const withDev = discoverHooks({ root, includeDev: true });
  const dev = withDev.packages.find(
    (plugin) => plugin.dev && (plugin.name === name || plugin.hooks.some((hook) => hook.name === name)),
  );
  if (dev) {
    return notInstalled(
      `Hook "${name}" comes from ${dev.name}, which is in devDependencies. ` +
        'Move it to dependencies, or look there too with discover: { includeDev: true }.',
    );
  }
  if (builtIn !== undefined) {
    return notInstalled(`Hook "${name}" is not installed. Install it: npm install ${builtIn}`);
  }
  if (withDev.notInstalled.includes(name)) {
    return notInstalled(`${name} is in package.json but not installed. Install it: npm install`);
  }
  const guess = nearest(name, [...known, ...BUILT_IN_ORDER]);
  const owner = guess !== undefined && !known.includes(guess) ? builtInOwner(guess) : undefined;
  const hint =
    guess === undefined
      ? ''
      : ` Did you mean "${guess}"${owner === undefined ? '' : ` (npm install ${owner})`}?`;
  return new HooklineError(
    'UNKNOWN_HOOK',
    `No hook is named "${name}".${hint} Known: ${known.join(', ') || 'none'}. ` +
      `Hooks are found in the dependencies of ${root}; a file begins with "./".`,
  );
}

function notInstalled(message: string): HooklineError {
  return new HooklineError('HOOK_NOT_INSTALLED', message);
}
