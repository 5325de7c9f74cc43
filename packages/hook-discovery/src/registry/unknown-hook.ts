import { type HooklineError, nearest } from '@hookline/hook-api';
import { BUILT_IN_PACKAGES, builtInOwner } from '../built-in-packages.js';
import { discoverHooks } from '../discovery/discover-hooks.js';
import { discoveryError } from '../errors.js';

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
  const broken = withDev.packages.filter(({ status }) => status === 'rejected').map((plugin) => plugin.name);
  const rejected = broken.length > 0 ? ` Rejected: ${broken.join(', ')}; "npx hookline hooks" says why.` : '';
  return discoveryError(
    'UNKNOWN_HOOK',
    `No hook is named "${name}".${guess(name, known)} Known: ${known.join(', ') || 'none'}. ` +
      `Hooks are found in the dependencies of ${root}; the path of a file begins with "./".${rejected}`,
  );
}

function guess(name: string, known: readonly string[]): string {
  const near = nearest(name, [...known, ...Object.keys(BUILT_IN_PACKAGES)]);
  if (near === undefined) return '';
  const install = known.includes(near) ? '' : ` (npm install ${builtInOwner(near)})`;
  return ` Did you mean "${near}"${install}?`;
}

function notInstalled(message: string): HooklineError {
  return discoveryError('HOOK_NOT_INSTALLED', message);
}
