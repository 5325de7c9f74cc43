import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { validateManifest } from '@hookline/hook-api/manifest';
import { tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');
const text = readFileSync(join(folder, 'README.md'), 'utf8');

test('the example runs and prints what the README says', async () => {
  const [, code, prints] = /^```js\n(.*?)^```\n\nIt prints:\n\n```\n(.*?)^```\n/ms.exec(text)!;
  // Nothing is installed where it runs, so that it imports this package by its file.
  const script = code!.replace("'@hookline/hook-discovery'", JSON.stringify(join(folder, 'src/index.ts')));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--conditions=@hookline/source',
      '--import',
      import.meta.resolve('tsx'),
      '--input-type=module',
      '-e',
      script,
    ],
    { cwd: tempFolder() },
  );
  expect(stdout).toBe(prints);
});

test('the manifest in the README is valid', () => {
  const [, json] = /^```json\n(.*?)^```\n/ms.exec(text)!;
  const { name, trainerHooks } = JSON.parse(json!);
  expect(validateManifest(trainerHooks, name)).toMatchObject({ problems: [], warnings: [] });
});
