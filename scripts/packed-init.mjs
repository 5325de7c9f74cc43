import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { npmManager, writeJson } from './packed-project.mjs';
import { readJson, tool } from './process.mjs';

/**
 * Begins a project with `hookline init`, and does there what its README says.
 * @param {Map<string, string>} tarballs
 * @param {string} project Where the command is installed.
 */
export async function beginsAProject(tarballs, project) {
  const folder = join(project, 'my-project');
  try {
    await npmManager.hookline(project, ['init', 'my-project']);
    installFrom(tarballs, folder);
    await npmManager.install(folder, tarballs);
    await tool('tsc', ['-p', '.'], { cwd: folder });
    const hookline = (/** @type {string[]} */ ...args) => npmManager.hookline(folder, args);
    assert.match(
      await hookline('train', '--set', 'fit.maxSteps=100'),
      /^stopped \(reached maxSteps \(100\)\)/m,
    );
    assert.match(await hookline('resume', '--set', 'fit.maxSteps=200'), /^Continues runs/m);
    const [first = ''] = readdirSync(join(folder, 'runs'));
    assert.match(await hookline('runs'), new RegExp(`${first} +stopped`));
    assert.match(await hookline('reproduce', first), /^The same bits: /m);
    console.log('a project of hookline init trains, resumes and reproduces a run');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The tarballs in place of the registry; what comes by itself is overridden.
 * @param {Map<string, string>} tarballs
 * @param {string} folder
 */
function installFrom(tarballs, folder) {
  const file = join(folder, 'package.json');
  const manifest = readJson(file);
  const isDirect = (/** @type {string} */ name) => name in manifest.dependencies;
  const pick = (/** @type {boolean} */ direct) =>
    Object.fromEntries(
      [...tarballs]
        .filter(([name]) => isDirect(name) === direct)
        .map(([name, tarball]) => [name, `file:${tarball}`]),
    );
  writeJson(file, {
    ...manifest,
    dependencies: { ...manifest.dependencies, ...pick(true) },
    overrides: pick(false),
  });
}
