import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { firstLine, type Problem } from '../problem.js';

/** The file to import for a native package that the project at `root` depends on, or why there is none. */
export function locateNative(packageName: string, root: string): { file: string } | { problem: Problem } {
  const require = createRequire(join(resolve(root), 'package.json'));
  try {
    return { file: require.resolve(packageName) };
  } catch (cause) {
    // A package whose files are missing is not the same as one that is not installed.
    const folders = require.resolve.paths(packageName) ?? [];
    const installed = folders.some((folder) => existsSync(join(folder, packageName, 'package.json')));
    if (!installed) return { problem: { what: 'not installed', fix: howToInstall(packageName) } };
    const what = `installed, but its files cannot be found: ${firstLine(cause)}`;
    return { problem: { what, fix: `Install it again: ${howToInstall(packageName)}`, cause } };
  }
}

/** How to fix a package that is installed but does not load or compute. */
export function howToRebuild(packageName: string): string {
  return (
    `npx hookline doctor --fix builds its addon here. So does its install script, where it may run and download: ` +
    `"npm rebuild ${packageName}". To train without it, use backend: 'wasm'.`
  );
}

function howToInstall(packageName: string): string {
  const needs = packageName.endsWith('-gpu') ? ' (needs an NVIDIA card with CUDA 11.2 and cuDNN 8.1)' : '';
  return `npm install ${packageName}${needs}; its install script downloads the TensorFlow library. Where it cannot: npm install --ignore-scripts ${packageName} && npx hookline doctor --fix`;
}
