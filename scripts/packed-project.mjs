import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm, readJson, root, run } from './process.mjs';
import { isHookPackage } from './workspace.mjs';

/**
 * How a package manager installs a project and runs programs in it. The programs return what they print.
 * @typedef {object} Manager
 * @property {(project: string, tarballs: Map<string, string>) => Promise<unknown>} install
 * @property {(project: string, args: string[]) => Promise<string>} node
 * @property {(project: string, args: string[]) => Promise<string>} hookline
 */

/** @type {Manager} */
export const npmManager = {
  install: (project) => npm(['install', '--no-audit', '--no-fund'], { cwd: project }),
  node: (project, args) => run(process.execPath, args, { cwd: project, name: args.join(' '), capture: true }),
  hookline: (project, args) =>
    npm(['exec', '--no', '--', 'hookline', ...args], { cwd: project, capture: true }),
};

/**
 * Installs the tarballs into a project outside the workspace, as a user would, and removes it after `use`.
 * @param {Map<string, string>} tarballs
 * @param {Manager} manager
 * @param {(project: string) => Promise<void>} use Gets its folder, which has the files of packed-project/.
 */
export async function withPackedProject(tarballs, manager, use) {
  const project = mkdtempSync(join(tmpdir(), 'hookline-packed-'));
  try {
    cpSync(join(root, 'scripts', 'packed-project'), project, { recursive: true });
    writeJson(join(project, 'package.json'), packageJson(tarballs));
    await manager.install(project, tarballs);
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
