import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './process.mjs';
import { filesBelow, workspacePackages } from './workspace.mjs';

/**
 * Every page that people read: relative to the repository, with forward slashes.
 * @returns {string[]}
 */
export function pages() {
  const docs = filesBelow(join(root, 'docs'))
    .map((file) => file.slice(root.length).replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.md'));
  const readmes = workspacePackages().map(({ path }) => `${path}/README.md`);
  const atTheRoot = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md'];
  return [...atTheRoot, 'site/home.md', ...docs, ...readmes].filter((page) => textOf(page) !== '');
}

/**
 * Empty when there is no such page.
 * @param {string} page
 */
export function textOf(page) {
  try {
    return readFileSync(join(root, page), 'utf8');
  } catch {
    return '';
  }
}
