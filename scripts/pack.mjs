import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packedReadme } from './packed-readme.mjs';
import { dependOnPlatforms, nativePackage, packPlatforms, platformPackages } from './platform-packages.mjs';
import { pnpm } from './process.mjs';
import { repositoryAddress, repositoryFields } from './repository.mjs';
import { rewriteTarball } from './tarball.mjs';
import { publishedPackages } from './workspace.mjs';

/**
 * Packs every published package as it goes to the registry, and removes the tarballs after `use`.
 * @param {(tarballs: Map<string, string>) => Promise<void>} use Tarballs by package name.
 */
export async function withTarballs(use) {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-tarballs-'));
  try {
    await pnpm(['--recursive', '--filter', './packages/*', 'pack', '--silent', '--pack-destination', folder]);
    const files = readdirSync(folder);
    const address = repositoryAddress();
    const tarballs = publishedPackages().map(({ path, manifest: { name, version } }) => {
      const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
      if (!files.includes(file)) throw new Error(`pnpm pack made no ${file}, only: ${files.join(', ')}`);
      pointToRepository(join(folder, file), path, address);
      return /** @type {const} */ ([name, join(folder, file)]);
    });
    const platforms = platformPackages();
    const native = tarballs.find(([name]) => name === nativePackage);
    if (native) dependOnPlatforms(native[1], platforms);
    const binaries = await packPlatforms(folder, platforms);
    for (const [, tarball] of binaries) pointToRepository(tarball, 'packages/kernels-native', address);
    await use(new Map([...tarballs, ...binaries]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Writes into a tarball what depends on the address of the repository.
 * @param {string} tarball
 * @param {string} path Of the package in the repository.
 * @param {string | undefined} address
 */
export function pointToRepository(tarball, path, address) {
  rewriteTarball(tarball, (name, text) => {
    if (name === 'README.md') return packedReadme(text, path, address);
    if (name !== 'package.json' || address === undefined) return text;
    return `${JSON.stringify({ ...JSON.parse(text), ...repositoryFields(address, path) }, null, 2)}\n`;
  });
}
