import { existsSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { readIfThere } from './package-json.js';

/** The package.json of an installed package. */
export interface PackageFile {
  file: string;
  text: string;
}

/** Finds packages by name. */
export type FindPackage = (name: string) => PackageFile | undefined;

/**
 * Finds the packages that a project sees. Every package.json is found by walking up from the project: an `exports` map
 * can hide it, and a search from this package's folder misses what pnpm installs elsewhere. With Yarn Plug'n'Play there
 * are no such folders, and Yarn is asked.
 */
export function packagesOf(root: string): FindPackage {
  const pnp = plugAndPlay(root);
  if (pnp) return (name) => inPlugAndPlay(pnp, root, name);
  const folders = lookupFolders(root);
  return (name) => {
    for (const folder of folders) {
      // Not `join`: for many dependencies, normalizing these paths costs a third of the time of reading the files.
      const file = `${folder}/${name}/package.json`;
      const text = readIfThere(file);
      if (text !== undefined) return { file, text };
    }
    return undefined;
  };
}

/** The part of Yarn's API that is needed here: https://yarnpkg.com/advanced/pnpapi */
interface PnpApi {
  resolveToUnqualified(
    request: string,
    issuer: string,
    options: { considerBuiltins: boolean },
  ): string | null;
}

/** Yarn adds this function to Node's module; a project installed in another way has none. */
function plugAndPlay(root: string): PnpApi | undefined {
  const { findPnpApi } = module as { findPnpApi?: (folder: string) => PnpApi | null };
  return findPnpApi?.(`${root}/`) ?? undefined;
}

function inPlugAndPlay(pnp: PnpApi, root: string, name: string): PackageFile | undefined {
  let folder: string | null;
  try {
    // A slash at the end: Yarn takes it for a folder. Packages may have the names of Node's modules.
    folder = pnp.resolveToUnqualified(name, `${root}/`, { considerBuiltins: false });
  } catch {
    return undefined; // not installed, or not declared
  }
  if (folder === null) return undefined;
  const file = join(folder, 'package.json');
  const text = readIfThere(file);
  return text === undefined ? undefined : { file, text };
}

/** Where Node looks for the project's packages: its node_modules and those above it, if they exist. */
function lookupFolders(root: string): string[] {
  // Asked once, with a name that no built-in module has: for `events` or `buffer` Node would answer null.
  const folders = createRequire(join(root, 'package.json')).resolve.paths('@hookline/any') ?? [];
  return folders.filter((folder) => existsSync(folder));
}
