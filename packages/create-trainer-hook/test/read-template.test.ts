import { mkdirSync, writeFileSync } from 'node:fs';
import { folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { hookNames } from '../src/hook-names.js';
import { readTemplate } from '../src/read-template.js';

const folder = folderPerTest();

function filled(file: string, text: string, author = 'Ada', name = 'loss-log'): [string, string] {
  mkdirSync(folder.in(file, '..'), { recursive: true });
  writeFileSync(folder.in(file), text);
  return [...readTemplate(folder.path, { ...hookNames(name), author, year: 2031 })][0]!;
}

test.each([
  ['src/my-hook.ts', 'src/loss-log.ts'],
  ['gitignore', '.gitignore'],
  ['_package.json', 'package.json'],
  ['docs/gitignore', 'docs/gitignore'],
])('the file %s becomes %s', (template, path) => {
  expect(filled(template, '')[0]).toBe(path);
});

test('each name is replaced by its own, and the longest match wins', () => {
  const [, text] = filled('a.ts', 'trainer-hook-my-hook my-hook myHook MyHookOptions');
  expect(text).toBe('trainer-hook-loss-log loss-log lossLog LossLogOptions');
});

test('a replacement is not replaced again', () => {
  const [, text] = filled('a.ts', 'myHook my-hook', 'Ada', 'my-hook-two');
  expect(text).toBe('myHookTwo my-hook-two');
});

test('an author is text in a license and a string in JSON, whatever is in the name', () => {
  const author = 'Ada "$&" \\ Lovelace';
  expect(filled('LICENSE', 'THE YEAR THE AUTHOR', author)[1]).toBe(`2031 ${author}`);
  const [, json] = filled('LICENSE', '{ "author": "" }', author);
  expect(JSON.parse(json).author).toBe(author);
});

test('without a name the license is that of the authors of the package', () => {
  expect(filled('LICENSE', 'THE AUTHOR', '')[1]).toBe('the authors of trainer-hook-loss-log');
});
