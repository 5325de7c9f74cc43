import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packFolder, unpackFolder } from '../src/index.js';
import { readZip, writeZip } from '../src/zip/zip.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hookline-pack-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const at = (...names: string[]) => join(root, ...names);

test('files are in the order of their names, so that equal folders give equal zips', async () => {
  for (const [folder, names] of [
    ['one', ['b', 'a', 'C', '10', '9']],
    ['two', ['9', '10', 'C', 'a', 'b']],
  ] as const) {
    mkdirSync(at(folder));
    for (const name of names) writeFileSync(at(folder, name), name);
  }
  const [one, two] = [await packFolder(at('one')), await packFolder(at('two'))];
  expect(Buffer.compare(one, two)).toBe(0);
  expect([...readZip(one).keys()]).toEqual(['10', '9', 'C', 'a', 'b']);
});

test('what begins with a dot is left out at every depth; links are, too', async () => {
  mkdirSync(at('run', '.tmp-1'), { recursive: true });
  mkdirSync(at('run', 'checkpoints'));
  for (const name of ['.lock', '.tmp-1/model', 'checkpoints/.part', 'checkpoints/model']) {
    writeFileSync(at('run', name), 'x');
  }
  writeFileSync(at('secret'), 'not yours');
  symlinkSync(at('secret'), at('run', 'link'));
  expect([...readZip(await packFolder(at('run'))).keys()]).toEqual(['checkpoints/model']);
});

test('an empty folder is one when it comes back', async () => {
  mkdirSync(at('empty'));
  await unpackFolder(await packFolder(at('empty')), at('copy'));
  expect(readdirSync(at('copy'))).toEqual([]);
});

test('a folder that is not there is ENOENT, in both directions', async () => {
  await expect(packFolder(at('none'))).rejects.toMatchObject({ code: 'ENOENT' });
  const zip = writeZip(new Map());
  await unpackFolder(zip, at('deep', 'er'));
  expect(existsSync(at('deep', 'er'))).toBe(true);
});

test('what cannot be written leaves nothing behind, and keeps its reason', async () => {
  writeFileSync(at('file'), '');
  const zip = writeZip(new Map([['a', new Uint8Array(1)]]));
  await expect(unpackFolder(zip, at('file', 'copy'))).rejects.toMatchObject({
    code: expect.stringMatching(/^E/),
  });
  const clash = writeZip(
    new Map([
      ['a', new Uint8Array(1)],
      ['a/b', new Uint8Array(1)],
    ]),
  );
  await expect(unpackFolder(clash, at('copy'))).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
  expect(readdirSync(root)).toEqual(['file']);
});

test('names with spaces, letters of other languages and depth come through', async () => {
  const names = ['a b/ü/日本.txt', 'x'.repeat(100), `${'deep/'.repeat(20)}end`];
  const zip = writeZip(new Map(names.map((name, i) => [name, Uint8Array.of(i)])));
  await unpackFolder(zip, at('copy'));
  for (const [i, name] of names.entries()) expect([...readFileSync(at('copy', name))]).toEqual([i]);
});

test.each(['', 'a//b', './a', 'a/.', '..', 'a/..', '\\\\server\\x', 'C:\\x', '/etc/passwd'])(
  'a name that leads elsewhere is refused before anything is written: "%s"',
  async (name) => {
    const zip = writeZip(
      new Map([
        ['fine', new Uint8Array(1)],
        [name, new Uint8Array(1)],
      ]),
    );
    await expect(unpackFolder(zip, at('copy'))).rejects.toMatchObject({ code: 'BAD_ZIP' });
    expect(readdirSync(root)).toEqual([]);
  },
);
