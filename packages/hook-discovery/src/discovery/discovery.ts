import type { ManifestHook } from '@hookline/hook-api';

/** What was found in the dependencies of a project. */
export interface Discovery {
  /** The project's folder. */
  root: string;
  /** The folders from which the project was looked for. */
  looked: readonly string[];
  /** The dependencies that carry `trainerHooks`, in package.json order. */
  packages: DiscoveredPackage[];
  /** Dependencies that are declared, not optional and not installed. */
  notInstalled: string[];
}

export type DependencyField =
  | 'dependencies'
  | 'optionalDependencies'
  | 'devDependencies'
  | 'peerDependencies';

export interface DiscoveredPackage {
  name: string;
  /** Empty when its package.json has none. */
  version: string;
  /** Its folder, symbolic links resolved. */
  dir: string;
  /** The field of the project's package.json that names it. One in `peerDependencies` is on only when it is named. */
  from: DependencyField;
  hooks: ManifestHook[];
  /** `disabled`: left out by `include` or `exclude`. `rejected`: something is wrong with it. */
  status: 'found' | 'disabled' | 'rejected';
  /** Why it is disabled or rejected, one sentence each. */
  reasons: string[];
  warnings: string[];
}

/** Why a hook that is installed is on only when the user names it; undefined when it is on by itself. */
export function whyOnlyNamed({ from }: DiscoveredPackage, { autoload }: ManifestHook): string | undefined {
  if (!autoload) return 'autoload is false';
  return from === 'peerDependencies' ? 'it is in peerDependencies' : undefined;
}
