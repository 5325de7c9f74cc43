import type { ManifestHook } from '@hookline/hook-api';

/** What was found in the dependencies of a project. */
export interface Discovery {
  /** The project's folder. */
  root: string;
  /** The dependencies that carry `trainerHooks`, in package.json order. */
  packages: DiscoveredPackage[];
  /** Dependencies that are declared, not optional and not installed. */
  notInstalled: string[];
}

export interface DiscoveredPackage {
  name: string;
  /** Empty when its package.json has none. */
  version: string;
  /** Its folder, symbolic links resolved. */
  dir: string;
  /** Found in `devDependencies`. */
  dev: boolean;
  hooks: ManifestHook[];
  /** `disabled`: left out by `include` or `exclude`. `rejected`: something is wrong with it. */
  status: 'found' | 'disabled' | 'rejected';
  /** Why it is disabled or rejected, one sentence each. */
  reasons: string[];
  warnings: string[];
}
