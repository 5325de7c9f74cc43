import fs, { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type Files, npmProject, plugin, write } from '@hookline/test-support';
import { afterEach, expect, test, vi } from 'vitest';
import { discoverHooks } from '../../src/discovery/discover-hooks.js';

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

test('50 dependencies cost 50 reads and no search, also from within a workspace', () => {
  const packages: Record<string, Files> = { 'trainer-hook-x': plugin('trainer-hook-x', 'x') };
  for (let i = 0; i < 49; i++) packages[`library-${i}`] = { 'package.json': { name: `library-${i}` } };
  const workspace = npmProject(packages);
  const root = join(workspace, 'packages/app');
  write(root, { 'package.json': readFileSync(join(workspace, 'package.json'), 'utf8') });

  const reads = vi.spyOn(fs, 'readFileSync');
  const realpaths = vi.spyOn(fs.realpathSync, 'native');
  const looks = (['existsSync', 'statSync', 'lstatSync', 'readdirSync', 'accessSync'] as const).map((name) =>
    vi.spyOn(fs, name),
  );
  syncBuiltinESMExports();
  expect(discoverHooks({ root }).packages).toHaveLength(1);

  // The project's own, and one for each dependency: nothing is read twice, nothing is read in vain.
  const read = reads.mock.calls.map(([file]) => String(file));
  expect(read).toHaveLength(51);
  expect(read[0]).toBe(join(root, 'package.json'));
  expect(realpaths).toHaveBeenCalledTimes(1);
  // Only which node_modules folders there are above the project: it does not grow with the dependencies.
  const lookedAt = looks.flatMap((look) => look.mock.calls.map(([file]) => String(file)));
  expect(lookedAt.filter((file) => file.includes('library'))).toEqual([]);
  expect(lookedAt.length).toBeLessThan(20);
});
