import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runIsolated } from '@hookline/test-programs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mkdir } from '../src/index.js';
import { makeFolderNow } from '../src/node.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hookline-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const WAYS: [string, (path: string) => Promise<unknown>][] = [
  ['mkdir', (path) => mkdir(path, { recursive: true })],
  ['makeFolderNow', async (path) => makeFolderNow(path)],
];

describe.each(WAYS)('%s', (_name, make) => {
  test('makes a folder with all above it, and one that is there is fine', async () => {
    for (let time = 0; time < 2; time++) await make(join(root, 'a/b/c'));
    expect(statSync(join(root, 'a/b/c')).isDirectory()).toBe(true);
    await make('/');
  });

  test('takes a link to a folder for a folder', async () => {
    mkdirSync(join(root, 'real'));
    symlinkSync(join(root, 'real'), join(root, 'link'));
    await make(join(root, 'link'));
    await make(join(root, 'link/below'));
    expect(statSync(join(root, 'real/below')).isDirectory()).toBe(true);
  });

  test('says what is in the way', async () => {
    writeFileSync(join(root, 'file'), '');
    symlinkSync(join(root, 'nowhere'), join(root, 'broken-link'));
    await expect(make(join(root, 'file'))).rejects.toThrow('EEXIST');
    await expect(make(join(root, 'file/below'))).rejects.toThrow('ENOTDIR');
    await expect(make(join(root, 'broken-link'))).rejects.toThrow('EEXIST');
  });

  test('many may make the same one at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => make(join(root, 'x/y/z'))));
    expect(statSync(join(root, 'x/y/z')).isDirectory()).toBe(true);
  });
});

test.skipIf(process.platform !== 'linux')(
  'where the system says that what is there is not, it ends with an error',
  async () => {
    const { value } = await runIsolated<string[]>(
      fileURLToPath(new URL('..', import.meta.url)),
      `import { mkdir } from './src/index.ts';
       import { makeFolderNow } from './src/node.ts';
       const codes = [];
       for (const path of ['/proc/hookline', '/proc/hookline/a/b', '/proc/self/fd/a/b']) {
         try { makeFolderNow(path); } catch ({ code }) { codes.push(code); }
         await mkdir(path, { recursive: true }).catch(({ code }) => codes.push(code));
       }
       report(codes);`,
    );
    expect(value).toEqual(Array(6).fill('ENOENT'));
  },
);
