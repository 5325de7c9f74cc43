import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type BuildResult, build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';

let bundle: BuildResult<{ write: false; metafile: true }>;

beforeAll(async () => {
  bundle = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Packages are not bundled, so that an import of one would be seen.
    packages: 'external',
    write: false,
    metafile: true,
  });
});

test('is under 6 kB, minified and gzipped', () => {
  expect(gzipSync(bundle.outputFiles[0]!.contents, { level: 9 }).byteLength).toBeLessThan(6 * 1024);
});

test('imports nothing at run time', () => {
  expect(Object.values(bundle.metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
});

test('declares no dependencies, and tfjs only as an optional peer', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(manifest.dependencies).toBeUndefined();
  expect(manifest.optionalDependencies).toBeUndefined();
  for (const peer of Object.keys(manifest.peerDependencies)) {
    expect(peer).toMatch(/^@tensorflow\/tfjs-(core|layers)$/);
    expect(manifest.peerDependenciesMeta[peer]).toEqual({ optional: true });
  }
});
