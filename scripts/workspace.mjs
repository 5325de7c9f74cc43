import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, root } from './process.mjs';

/**
 * @typedef {object} WorkspacePackage
 * @property {string} folder Absolute path.
 * @property {string} path Relative to the workspace, with forward slashes.
 * @property {Record<string, any>} manifest Its package.json.
 */

/**
 * Every package of the workspace at `base`, in the order of pnpm-workspace.yaml, then by name.
 * @param {string} [base]
 * @returns {WorkspacePackage[]}
 */
export function workspacePackages(base = root) {
  return patterns(base)
    .flatMap((pattern) => {
      if (!pattern.endsWith('/*')) return [pattern];
      const parent = pattern.slice(0, -2);
      if (!existsSync(join(base, parent))) return [];
      return readdirSync(join(base, parent))
        .sort()
        .map((name) => `${parent}/${name}`);
    })
    .filter((path) => existsSync(join(base, path, 'package.json')))
    .map((path) => {
      const folder = join(base, path);
      return { folder, path, manifest: readJson(join(folder, 'package.json')) };
    });
}

/**
 * The packages that are meant for the registry.
 * @param {string} [base]
 */
export function publishedPackages(base = root) {
  return workspacePackages(base).filter(({ path }) => path.startsWith('packages/'));
}

/**
 * Whether a package of this workspace brings hooks, rather than what hooks are made with or found by.
 * @param {string} name
 */
export function isHookPackage(name) {
  return /\/hook-(?!api$|discovery$|testkit$)/.test(name);
}

/**
 * Every file in a folder and the folders in it.
 * @param {string} folder
 * @returns {string[]} Absolute when the folder is; none when it does not exist.
 */
export function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

// This must work before anything is installed, so no YAML parser: the list is plain `- folder` lines.
/** @param {string} base */
function patterns(base) {
  const text = readFileSync(join(base, 'pnpm-workspace.yaml'), 'utf8');
  const list = /^packages:\n((?: +- .+\n)+)/m.exec(text.replaceAll('\r\n', '\n'))?.[1] ?? '';
  return [...list.matchAll(/- +["']?([^"'\s]+)/g)].map((match) => String(match[1]));
}
