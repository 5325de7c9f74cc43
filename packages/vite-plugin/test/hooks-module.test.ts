import { join } from 'node:path';
import { npmProject, plugin } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { notForBrowsers } from '../src/errors.js';
import { hooksModule } from '../src/hooks-module.js';

const nothing = async () => undefined;

test('the module changes with the package.json of the project and of each package with hooks', async () => {
  const root = npmProject({
    'trainer-hook-a': plugin('trainer-hook-a', 'a'),
    'not-a-hook': { 'package.json': { name: 'not-a-hook' } },
  });
  const { watch, warnings } = await hooksModule({ root }, nothing);
  expect(watch.map((file) => file.slice(-40)).at(0)).toContain('package.json');
  expect(watch).toEqual([
    join(root, 'package.json'),
    expect.stringContaining(join('trainer-hook-a', 'package.json')),
  ]);
  expect(warnings).toEqual([]);
});

test('each file of a package is imported once, however many hooks it has, and only when it is needed', async () => {
  const hooks = { a: './index.js', b: './index.js' };
  const root = npmProject({ pack: plugin('pack', 'a', { trainerHooks: { schema: 1, hooks } }) });
  const { code } = await hooksModule({ root }, nothing);
  expect(code.match(/import\(/g)).toHaveLength(1);
  expect(code).not.toMatch(/^import /m);
  expect(code).toContain(`globalThis[Symbol.for('hookline.bundled-hooks')]`);
});

test('a project without hooks has an empty list', async () => {
  const { code } = await hooksModule({ root: npmProject({}) }, nothing);
  expect(code).toMatch(/\] = \[\];\n$/);
});

test('a hook that needs Node is named with all that it shares its file with, and how to leave it out', () => {
  const error = notForBrowsers('pack@1.0.0, hook "a", "b"', ['a', 'b'], 'index.js imports node:fs');
  expect(error).toMatchObject({ code: 'HOOK_NOT_FOR_BROWSERS' });
  expect(error.message).toBe(
    'pack@1.0.0, hook "a", "b" does not run in a browser: index.js imports node:fs. Switch it off there with hooks: { "a": false, "b": false }, or leave its package out of the bundle with hookline({ exclude: [...] }).',
  );
});
