import { join } from 'node:path';
import { tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { findConfig } from '../../src/config/find-config.js';

const project = { 'package.json': { name: 'project' } };

test.each(['ts', 'mts', 'js', 'mjs', 'json'])(
  'hookline.config.%s is found from a folder below it',
  (ending) => {
    const root = tempFolder({ ...project, [`hookline.config.${ending}`]: '', 'src/deep/x.js': '' });
    const file = join(root, `hookline.config.${ending}`);
    expect(findConfig(undefined, join(root, 'src/deep'))).toBe(file);
    expect(findConfig(undefined, root)).toBe(file);
  },
);

test('the nearest file counts, and none outside of the project', () => {
  const root = tempFolder({
    ...project,
    'hookline.config.js': '',
    'a/hookline.config.js': '',
    'inner/package.json': { name: 'inner' },
  });
  expect(findConfig(undefined, join(root, 'a'))).toBe(join(root, 'a/hookline.config.js'));
  expect(() => findConfig(undefined, join(root, 'inner'))).toThrow(
    /There is no config file in .*inner.*hookline init/,
  );
});

test('a file or a folder can be named, relative to the folder where one is', () => {
  const root = tempFolder({ ...project, 'configs/small.json': '{}', 'configs/hookline.config.json': '{}' });
  expect(findConfig('configs/small.json', root)).toBe(join(root, 'configs/small.json'));
  expect(findConfig('configs', root)).toBe(join(root, 'configs/hookline.config.json'));
  expect(() => findConfig('configs/large.json', root)).toThrow(
    `There is no config file ${join(root, 'configs/large.json')}`,
  );
});

test('two config files in one folder are refused', () => {
  const root = tempFolder({ ...project, 'hookline.config.ts': '', 'hookline.config.json': '{}' });
  expect(() => findConfig(undefined, root)).toThrow('hookline.config.ts and hookline.config.json');
});
