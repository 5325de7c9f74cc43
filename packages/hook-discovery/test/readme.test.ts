import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { validateManifest } from '@hookline/hook-api/manifest';
import { bundledProgram } from '@hookline/test-programs';
import { tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');
const text = readFileSync(join(folder, 'README.md'), 'utf8');

test('the example runs and prints what the README says', async () => {
  const [, code, prints] = /^```js\n(.*?)^```\n\nIt prints:\n\n```\n(.*?)^```\n/ms.exec(text)!;
  // Nothing is installed where it runs, so that it imports this package by its file.
  const file = await bundledProgram(code!.replace('@hookline/hook-discovery', './src/index.ts'), folder);
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: tempFolder() });
  expect(stdout).toBe(prints);
});

test('the manifest in the README is valid', () => {
  const [, json] = /^```json\n(.*?)^```\n/ms.exec(text)!;
  const { name, trainerHooks } = JSON.parse(json!);
  expect(validateManifest(trainerHooks, name)).toMatchObject({ problems: [], warnings: [] });
});
