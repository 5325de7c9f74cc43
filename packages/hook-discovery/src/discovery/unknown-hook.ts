import { dirname } from 'node:path';
import { type HooklineError, nearest } from '@hookline/hook-api';
import { BUILT_IN_PACKAGES, builtInOwner } from '../built-in-packages.js';
import { discoveryError } from '../errors.js';
import { mayHave } from './dependencies.js';
import { discoverHooks } from './discover-hooks.js';
import type { DiscoveredPackage, Discovery } from './discovery.js';
import { packagesOf } from './find-package.js';
import type { Project } from './find-project.js';
import { lookedFrom } from './looked-from.js';
import { findProjectRoot } from './project-root.js';

/** The error for a name that no hook of the project has: what it may have been, and how to get it. */
export function unknownHook(name: string, known: readonly string[], project: Project): HooklineError {
  const { root } = project;
  const withDev = discoverHooks({ root, includeDev: true });
  const missing = howToGet(name, withDev, project);
  if (missing !== undefined) return discoveryError('HOOK_NOT_INSTALLED', missing);
  const broken = withDev.packages.filter(({ status }) => status === 'rejected').map((plugin) => plugin.name);
  const rejected = broken.length > 0 ? ` Rejected: ${broken.join(', ')}; "npx hookline hooks" says why.` : '';
  return discoveryError(
    'UNKNOWN_HOOK',
    `No hook is named "${name}".${guess(name, known, root)} Known: ${known.join(', ') || 'none'}. ` +
      `Hooks are found in the dependencies of ${root}${lookedFrom(project)}; the path of a file begins with "./".${rejected}`,
  );
}

/** For a name that belongs to a package: never to install what is installed. */
function howToGet(name: string, withDev: Discovery, project: Project): string | undefined {
  const { root } = project;
  const dev = bearerOf(
    name,
    withDev.packages.filter(({ from }) => from === 'devDependencies'),
  );
  if (dev) {
    return (
      `Hook "${name}" comes from ${dev}, which is in devDependencies. ` +
      'Move it to dependencies, or look there too with discover: { includeDev: true }.'
    );
  }
  const owner = builtInOwner(name) ?? name;
  if (withDev.notInstalled.includes(owner)) {
    return `${owner} is in package.json but not installed. Install it: npm install`;
  }
  const elsewhere = otherProjects(project).find((other) =>
    bearerOf(name, discoverHooks({ root: other }).packages),
  );
  if (elsewhere !== undefined) {
    return (
      `Hook "${name}" is in the dependencies of ${elsewhere}, but the project of this program is ${root}. ` +
      `Add it to the dependencies there, or name the other project: root: ${JSON.stringify(elsewhere)}.`
    );
  }
  const installed = packagesOf(root)(owner);
  if (installed && mayHave(installed, 'trainerHooks')) {
    return (
      `Hook "${name}" is installed in ${dirname(installed.file)}, but the dependencies in ${root}/package.json ` +
      `do not name ${owner}. Add it to them.`
    );
  }
  const isBuiltIn = Object.values<string>(BUILT_IN_PACKAGES).includes(owner);
  if (!isBuiltIn) return undefined;
  return `Hook "${name}" is not installed in ${root}${lookedFrom(project)}. Install it: npm install ${owner}`;
}

/** The package that brings the hook, by the name of either. */
function bearerOf(name: string, packages: readonly DiscoveredPackage[]): string | undefined {
  return packages.find((each) => each.name === name || each.hooks.some((hook) => hook.name === name))?.name;
}

function otherProjects({ root, looked }: Project): string[] {
  const found = looked.map(findProjectRoot).filter((folder) => folder !== undefined);
  return found.filter((folder) => folder !== root);
}

function guess(name: string, known: readonly string[], root: string): string {
  const near = nearest(name, [...known, ...Object.keys(BUILT_IN_PACKAGES)]);
  if (near === undefined) return '';
  const owner = known.includes(near) ? undefined : builtInOwner(near);
  const isMissing = owner !== undefined && packagesOf(root)(owner) === undefined;
  return ` Did you mean "${near}"${isMissing ? ` (npm install ${owner})` : ''}?`;
}
