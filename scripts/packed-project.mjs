import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withTarballs } from './pack.mjs';
import { npm, readJson, root } from './process.mjs';
import { isHookPackage } from './workspace.mjs';

/**
 * Installs the tarballs with plain npm into a project outside the workspace, as a user would, and removes it after
 * `use`.
 * @param {(project: string) => Promise<void>} use Gets its folder, which has the files of packed-project/.
 */
export async function withPackedProject(use) {
  const project = mkdtempSync(join(tmpdir(), 'hookline-packed-'));
  try {
    await withTarballs(async (tarballs) => {
      cpSync(join(root, 'scripts', 'packed-project'), project, { recursive: true });
      writeJson(join(project, 'package.json'), packageJson(tarballs));
      await npm(['install', '--no-audit', '--no-fund'], { cwd: project });
    });
    await use(project);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

/**
 * @param {string} file
 * @param {unknown} value
 */
export function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * A user depends on the trainer and on hooks; what those depend on comes by itself, so it is overridden
 * rather than listed: npm would look for it in the registry.
 * @param {Map<string, string>} tarballs
 */
function packageJson(tarballs) {
  const wanted = [...tarballs].filter(([name]) => name === '@hookline/trainer' || isHookPackage(name));
  const others = [...tarballs].filter((each) => !wanted.includes(each));
  const asFiles = (/** @type {[string, string][]} */ list) =>
    Object.fromEntries(list.map(([name, tarball]) => [name, `file:${tarball}`]));
  const { peerDependencies } = readJson(join(root, 'packages', 'trainer', 'package.json'));
  return {
    name: 'packed-project',
    private: true,
    type: 'module',
    dependencies: { ...asFiles(wanted), ...peerDependencies },
    overrides: asFiles(others),
  };
}
