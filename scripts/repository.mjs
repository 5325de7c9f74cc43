import { join } from 'node:path';
import { readJson, root } from './process.mjs';

/**
 * The address of the repository, from `"hookline": { "repository": ... }` in the root package.json; undefined while it
 * has none. What points to it in a published package is derived from this one setting when the package is packed.
 * @param {string} [workspace]
 * @returns {string | undefined}
 */
export function repositoryAddress(workspace = root) {
  const setting = readJson(join(workspace, 'package.json')).hookline?.repository ?? undefined;
  if (setting !== undefined && !/^https:\/\/[^\s/]+\/\S+[^\s/]$/.test(setting)) {
    throw new Error(
      `"hookline.repository" in package.json is ${JSON.stringify(setting)}. ` +
        'Expected null, or an address such as https://host/owner/name, without .git and without a slash at the end.',
    );
  }
  return setting;
}

/**
 * @param {string} [workspace]
 * @returns {string}
 */
export function requireRepository(workspace = root) {
  const address = repositoryAddress(workspace);
  if (address) return address;
  throw new Error(
    'packages are not published without the address of their repository: their pages would lead nowhere, and npm ' +
      'could not prove where they were built. Set "hookline": { "repository": "https://host/owner/name" } in package.json.',
  );
}

/**
 * The fields of a package.json that point to the repository.
 * @param {string} address
 * @param {string} path Of the package in the repository.
 */
export function repositoryFields(address, path) {
  return {
    repository: { type: 'git', url: `git+${address}.git`, directory: path },
    homepage: `${address}/tree/HEAD/${path}#readme`,
    bugs: { url: `${address}/issues` },
  };
}
