import type { DependencyField } from './discovery/discovery.js';

/** A package with hooks as a bundler found it: its manifest, and how to load the files that the manifest names. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** `dependencies` when absent. */
  readonly from?: DependencyField;
  /** The field of its package.json, as it is. */
  readonly trainerHooks: unknown;
  /** By the entry that the manifest names. */
  readonly entries: Readonly<Record<string, () => Promise<object>>>;
}

/** In the global registry, because there may be two copies of this package. */
const KEY: unique symbol = Symbol.for('hookline.bundled-hooks');

/**
 * Says which packages with hooks are part of a bundle, in their order. In a browser they are what discovery finds; in Node
 * the dependencies of the project are read instead. A later call replaces what an earlier one said.
 */
export function provideHooks(packages: readonly BundledPackage[]): void {
  (globalThis as Holder)[KEY] = packages;
}

export function bundledPackages(): readonly BundledPackage[] {
  return (globalThis as Holder)[KEY] ?? [];
}

interface Holder {
  [KEY]?: readonly BundledPackage[];
}
