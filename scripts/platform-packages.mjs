import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm, readJson, root } from './process.mjs';
import { rewriteTarball } from './tarball.mjs';

/** @typedef {import('./workspace.mjs').WorkspacePackage} WorkspacePackage */

/** The package whose binaries are packages of their own, so that each machine installs only the one that fits. */
export const nativePackage = '@hookline/kernels-native';

/** What npm reads before it installs one. @type {Record<string, { os: string[], cpu: string[], libc?: string[] }>} */
const platforms = {
  'linux-x64-gnu': { os: ['linux'], cpu: ['x64'], libc: ['glibc'] },
  'linux-x64-musl': { os: ['linux'], cpu: ['x64'], libc: ['musl'] },
  'darwin-x64': { os: ['darwin'], cpu: ['x64'] },
  'win32-x64': { os: ['win32'], cpu: ['x64'] },
};

/**
 * One for each binary that has been built: `npm run setup` builds that of this machine, the release all of them.
 * @param {string} [base] The folder of the native package.
 * @returns {WorkspacePackage[]}
 */
export function platformPackages(base = join(root, 'packages', 'kernels-native')) {
  const { version, license, engines } = readJson(join(base, 'package.json'));
  return Object.entries(platforms)
    .filter(([platform]) => existsSync(join(base, 'build', platform, 'kernels.node')))
    .map(([platform, fits]) => {
      const name = `${nativePackage}-${platform}`;
      const description = `The binary of ${nativePackage} for ${platform}`;
      const manifest = { name, version, description, license, ...fits, engines, files: ['kernels.node'] };
      return { folder: join(base, 'build', platform), path: 'packages/kernels-native', manifest };
    });
}

/**
 * Packs them.
 * @param {string} destination
 * @param {WorkspacePackage[]} packages
 * @returns {Promise<[string, string][]>} Tarballs by name.
 */
export async function packPlatforms(destination, packages) {
  /** @type {[string, string][]} */
  const tarballs = [];
  for (const { folder, manifest } of packages) {
    const room = join(destination, 'platform');
    mkdirSync(room);
    writeFileSync(join(room, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    const link = `See [${nativePackage}](https://www.npmjs.com/package/${nativePackage}).`;
    writeFileSync(join(room, 'README.md'), `# ${manifest.name}\n\n${manifest.description}. ${link}\n`);
    writeFileSync(join(room, 'kernels.node'), readFileSync(join(folder, 'kernels.node')));
    await npm(['pack', '--silent', '--pack-destination', destination], { cwd: room, capture: true });
    rmSync(room, { recursive: true });
    const file = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;
    tarballs.push([manifest.name, join(destination, file)]);
  }
  return tarballs;
}

/**
 * Lets the packed native package depend on them, each in its own version.
 * @param {string} tarball
 * @param {WorkspacePackage[]} packages
 */
export function dependOnPlatforms(tarball, packages) {
  const optionalDependencies = Object.fromEntries(
    packages.map(({ manifest }) => [manifest.name, manifest.version]),
  );
  rewriteTarball(tarball, (name, text) =>
    name === 'package.json'
      ? `${JSON.stringify({ ...JSON.parse(text), optionalDependencies }, null, 2)}\n`
      : text,
  );
}
