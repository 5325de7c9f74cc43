import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../process.mjs';
import { publishedPackages, workspacePackages } from '../workspace.mjs';

const changeset = createRequire(join(root, 'package.json')).resolve('@changesets/cli/bin.js');

/** The versions that a release would have after one change; those that stay are left out. */
function releasedAfter(change: string): Record<string, string> {
  const copy = mkdtempSync(join(tmpdir(), 'hookline-versions-'));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  const files = [
    'package.json',
    'pnpm-workspace.yaml',
    '.changeset/config.json',
    ...workspacePackages().map(({ path }) => `${path}/package.json`),
  ];
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), readFileSync(join(root, file)));
  }
  writeFileSync(join(copy, '.changeset', 'change.md'), `---\n${change}\n---\n\nA change.\n`);
  // So that changesets can tell one package manager's lockfile from another's.
  writeFileSync(join(copy, 'pnpm-lock.yaml'), '');
  execFileSync('git', ['init', '--quiet'], { cwd: copy });
  execFileSync(process.execPath, [changeset, 'version'], { cwd: copy, stdio: 'pipe' });
  return Object.fromEntries(
    publishedPackages(copy)
      .map(({ path, manifest }) => [path, manifest.name, manifest.version] as const)
      .filter(
        ([path, , version]) =>
          version !== JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')).version,
      )
      .map(([, name, version]) => [name, version]),
  );
}

const major = (version: string) => Number(version.split('.')[0]);

test('a minor version of hook-api releases no hook, and makes nothing a major version', () => {
  const released = releasedAfter('"@hookline/hook-api": minor');
  const { '@hookline/hook-api': api, ...others } = released;
  expect(api).toMatch(/^1\.\d+\.0$/);
  expect(Object.values(others).filter((version) => major(version) > 0)).toEqual([]);
  const hooks = publishedPackages()
    .filter(({ manifest }) => manifest.trainerHooks)
    .map(({ manifest }) => manifest.name);
  expect(hooks.filter((name) => name in others)).toEqual([]);
});

test('a minor version of one hook releases that hook alone', () => {
  expect(Object.keys(releasedAfter('"@hookline/hook-progress": minor'))).toEqual(['@hookline/hook-progress']);
});
