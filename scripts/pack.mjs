import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pnpm } from './process.mjs';
import { publishedPackages } from './workspace.mjs';

/**
 * Packs every published package as it would go to the registry and removes the tarballs after `use`.
 * @param {(tarballs: Map<string, string>) => Promise<void>} use Tarballs by package name.
 */
export async function withTarballs(use) {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-tarballs-'));
  try {
    await pnpm(['--recursive', '--filter', './packages/*', 'pack', '--silent', '--pack-destination', folder]);
    const files = readdirSync(folder);
    const tarballs = publishedPackages().map(({ manifest: { name, version } }) => {
      const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
      if (!files.includes(file)) throw new Error(`pnpm pack made no ${file}, only: ${files.join(', ')}`);
      return /** @type {const} */ ([name, join(folder, file)]);
    });
    await use(new Map(tarballs));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
