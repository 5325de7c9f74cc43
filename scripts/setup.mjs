import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { npm, readJson, root } from './process.mjs';
import { workspacePackages } from './workspace.mjs';

const pnpmVersion = '12.18.0';

/** What the last set-up did; it lives in node_modules, so that removing the one removes the other. */
const stampFile = join(root, 'node_modules', '.hookline', 'setup.json');

/**
 * Installs the dependencies at the versions of the lockfile, unless that was done already: then it takes
 * milliseconds and no network. Needs only Node and npm. Puts pnpm on the PATH, where turbo looks for it.
 * @param {string[]} [installOptions] Of `pnpm install`, instead of `--frozen-lockfile`.
 */
export async function setup(installOptions = []) {
  if (isUpToDate() && installOptions.length === 0) {
    console.log('[set-up] the dependencies are up to date');
  } else {
    console.log(`[set-up] installing the dependencies with pnpm ${pnpmVersion}`);
    const install = ['node', join(root, 'scripts', 'install.mjs'), ...installOptions];
    await npm(['exec', '--yes', `--package=pnpm@${pnpmVersion}`, '--', ...install]);
  }
  process.env.PATH = [readJson(stampFile).pnpmFolder, process.env.PATH].join(delimiter);
}

/** @param {string} pnpmFolder */
export function rememberSetup(pnpmFolder) {
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, JSON.stringify({ fingerprint: fingerprint(), pnpmFolder }));
}

function isUpToDate() {
  if (!existsSync(stampFile)) return false;
  const done = readJson(stampFile);
  return done.fingerprint === fingerprint() && existsSync(done.pnpmFolder);
}

/** Changes whenever an install could give another result. */
function fingerprint() {
  const hash = createHash('sha256').update(`${pnpmVersion} ${process.platform} ${process.arch}`);
  const manifests = workspacePackages().map(({ path }) => `${path}/package.json`);
  const native = workspacePackages().flatMap(({ path }) => nativeSources(`${path}/native`));
  for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests, ...native]) {
    hash.update(file).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

/**
 * What an install compiles, where there is a compiler.
 * @param {string} folder
 */
function nativeSources(folder) {
  if (!existsSync(join(root, folder))) return [];
  const names = readdirSync(join(root, folder)).sort();
  return names.map((name) => `${folder}/${name}`);
}
