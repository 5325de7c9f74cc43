import { mkdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { findProjectRoot } from '../../src/discovery/project-root.js';

test('the project is the nearest package.json at or above', () => {
  const root = tempFolder({ 'package.json': {}, 'packages/app/package.json': {} });
  mkdirSync(join(root, 'packages/app/src/deep'), { recursive: true });
  mkdirSync(join(root, 'scripts'));
  expect(findProjectRoot(join(root, 'packages/app/src/deep'))).toBe(join(root, 'packages/app'));
  expect(findProjectRoot(join(root, 'packages/app'))).toBe(join(root, 'packages/app'));
  expect(findProjectRoot(join(root, 'scripts'))).toBe(root);
});

test('a package.json that only says how to read files is not a project', () => {
  const root = tempFolder({ 'package.json': { name: 'app' }, 'dist/package.json': { type: 'commonjs' } });
  expect(findProjectRoot(join(root, 'dist'))).toBe(root);
  const alone = tempFolder({ 'package.json': { type: 'module' } });
  expect(findProjectRoot(join(alone, 'src'))).toBe(alone);
});

test('a folder without a project has none', () => {
  expect(findProjectRoot(parse(process.cwd()).root)).toBeUndefined();
});
