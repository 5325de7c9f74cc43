import { join } from 'node:path';
import { tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { findConfig } from '../../src/config/find-config.js';

const project = { 'package.json': { name: 'project' } };

test.each(['ts', 'mts', 'js', 'mjs', 'json'])(
  'hookline.config.%s is found from a folder below it',
  async (ending) => {
    const root = tempFolder({ ...project, [`hookline.config.${ending}`]: '', 'src/deep/x.js': '' });
    const file = join(root, `hookline.config.${ending}`);
    expect(await findConfig(undefined, join(root, 'src/deep'))).toBe(file);
    expect(await findConfig(undefined, root)).toBe(file);
  },
);

test('the nearest file counts, and none outside of the project', async () => {
  const root = tempFolder({
    ...project,
    'hookline.config.js': '',
    'a/hookline.config.js': '',
    'inner/package.json': { name: 'inner' },
  });
  expect(await findConfig(undefined, join(root, 'a'))).toBe(join(root, 'a/hookline.config.js'));
  await expect(findConfig(undefined, join(root, 'inner'))).rejects.toThrow(
    /There is no config file in .*inner.*hookline init/,
  );
});

test('a file or a folder can be named, relative to the folder where one is', async () => {
  const root = tempFolder({ ...project, 'configs/small.json': '{}', 'configs/hookline.config.json': '{}' });
  expect(await findConfig('configs/small.json', root)).toBe(join(root, 'configs/small.json'));
  expect(await findConfig('configs', root)).toBe(join(root, 'configs/hookline.config.json'));
  await expect(findConfig('configs/large.json', root)).rejects.toThrow(
    `There is no config file ${join(root, 'configs/large.json')}`,
  );
});

test('two config files in one folder are refused', async () => {
  const root = tempFolder({ ...project, 'hookline.config.ts': '', 'hookline.config.json': '{}' });
  await expect(findConfig(undefined, root)).rejects.toThrow('hookline.config.ts and hookline.config.json');
});

test('what is missing is CONFIG_MISSING, and names every file that would have been taken', async () => {
  const root = tempFolder(project);
  await expect(findConfig(undefined, root)).rejects.toMatchObject({
    code: 'CONFIG_MISSING',
    message: expect.stringContaining(
      'hookline.config.ts, hookline.config.mts, hookline.config.js, hookline.config.mjs, hookline.config.json',
    ),
  });
  await expect(findConfig('empty', root)).rejects.toMatchObject({ code: 'CONFIG_MISSING' });
});

test('outside of every project only the folder itself counts', async () => {
  const root = tempFolder({ 'hookline.config.json': '{}', 'below/x': '' });
  expect(await findConfig(undefined, root)).toBe(join(root, 'hookline.config.json'));
  await expect(findConfig(undefined, join(root, 'below'))).rejects.toMatchObject({ code: 'CONFIG_MISSING' });
});
