import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { packFolder, unpackFolder } from '../src/index.js';
import { readZip, writeZip } from '../src/zip/zip.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hookline-zip-'));
});
afterEach(() => rmSync(root, { recursive: true }));

it('a folder that was packed is the same when it is unpacked, without what was being written', async () => {
  mkdirSync(join(root, 'run/checkpoints/last'), { recursive: true });
  writeFileSync(join(root, 'run/run.json'), '{}');
  writeFileSync(join(root, 'run/empty'), '');
  writeFileSync(
    join(root, 'run/checkpoints/last/größe.bin'),
    Uint8Array.from({ length: 70_000 }, (_, i) => i % 256),
  );
  writeFileSync(join(root, 'run/checkpoints/.lock-1'), 'mine');
  const zip = await packFolder(join(root, 'run'));
  await unpackFolder(zip, join(root, 'copy'));
  const list = (folder: string) => readdirSync(join(root, folder), { recursive: true }).map(String).sort();
  expect(list('copy')).toEqual(list('run').filter((name) => !name.includes('.lock')));
  expect(readFileSync(join(root, 'copy/checkpoints/last/größe.bin'))).toEqual(
    readFileSync(join(root, 'run/checkpoints/last/größe.bin')),
  );
  await expect(unpackFolder(zip, join(root, 'copy'))).rejects.toThrow(/exists, and nothing is overwritten/);
  expect(readdirSync(root).sort()).toEqual(['copy', 'run']);
});

it('a zip that is cut off, damaged or leads out of its folder leaves nothing behind', async () => {
  const zip = writeZip(new Map([['a/b.txt', new TextEncoder().encode('hello')]]));
  const target = join(root, 'out');
  await expect(unpackFolder(zip.subarray(0, -5), target)).rejects.toMatchObject({ code: 'BAD_ZIP' });
  const flipped = zip.slice();
  flipped[40]! ^= 1;
  await expect(unpackFolder(flipped, target)).rejects.toThrow(/a\/b.txt" are not those that were packed/);
  for (const name of ['../x', '/x', 'a/../../x', 'a\\..\\x', 'c:x']) {
    const hostile = writeZip(new Map([[name, new Uint8Array(1)]]));
    await expect(unpackFolder(hostile, target), name).rejects.toThrow(/leads out of the folder/);
  }
  expect(readdirSync(root)).toEqual([]);
  expect([...readZip(zip).keys()]).toEqual(['a/b.txt']);
});
