import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PLATFORMS } from '../../packages/kernels-native/src/platform.js';
import { packPlatforms, platformPackages } from '../platform-packages.mjs';
import { readTarball } from '../tarball.mjs';

it('each binary that was built is a package, which npm installs only where it fits', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-platforms-'));
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '1.2.3', license: 'Apache-2.0' }));
    for (const platform of PLATFORMS) {
      mkdirSync(join(folder, 'build', platform), { recursive: true });
      writeFileSync(join(folder, 'build', platform, 'kernels.node'), `for ${platform}`);
    }
    const packages = platformPackages(folder);
    expect(packages.map(({ manifest }) => manifest.name)).toEqual(
      PLATFORMS.map((platform) => `@hookline/kernels-native-${platform}`),
    );
    const [[, tarball]] = (await packPlatforms(folder, packages.slice(1, 2))) as [[string, string]];
    const files = readTarball(tarball);
    expect([...files.keys()].sort()).toEqual(['README.md', 'kernels.node', 'package.json']);
    expect(files.get('kernels.node')).toBe('for linux-x64-musl');
    expect(JSON.parse(files.get('package.json')!)).toMatchObject({
      version: '1.2.3',
      os: ['linux'],
      cpu: ['x64'],
      libc: ['musl'],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
