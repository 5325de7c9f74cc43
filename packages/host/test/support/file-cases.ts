import type * as Host from '../../src/index.js';
import { bytesOf, codeOf, same } from './expecting.js';

export type FileCase = (host: typeof Host, folder: string) => Promise<void>;

/** What every half of the host promises about files, in a folder that is new for each. Node's is the measure. */
export const fileCases: Readonly<Record<string, FileCase>> = {
  'what was written is read, as text and as bytes': async (host, folder) => {
    const path = host.join(folder, 'größe ✓.txt');
    await host.writeFile(path, 'Ελλάδα\n');
    same(await host.readFile(path, 'utf8'), 'Ελλάδα\n', 'text');
    same([...(await host.readFile(path))].slice(0, 3), [206, 149, 206], 'its bytes');
    await host.writeFile(path, '');
    same((await host.readFile(path)).length, 0, 'after it was replaced by nothing');
  },

  'contents of every size survive, small ones and those that have a file of their own': async (
    host,
    folder,
  ) => {
    for (const length of [0, 1, 65_535, 65_536, 65_537]) {
      const path = host.join(folder, `${length}.bin`);
      await host.writeFile(path, bytesOf(length));
      same((await host.stat(path)).size, length, 'size');
      same(await hashOf(host, path), host.createSha256().update(bytesOf(length)).digest(), `${length} bytes`);
    }
  },

  'a file that is written again has only the new content': async (host, folder) => {
    const path = host.join(folder, 'again');
    await host.writeFile(path, bytesOf(100_000, 1));
    await host.writeFile(path, bytesOf(10, 2));
    same([...(await host.readFile(path))], [...bytesOf(10, 2)], 'large, then small');
    await host.writeFile(path, bytesOf(70_000, 3));
    same(
      await hashOf(host, path),
      host.createSha256().update(bytesOf(70_000, 3)).digest(),
      'and large again',
    );
    same(await host.readdir(folder), ['again'], 'there is one file');
  },

  'bytes that are a part of a larger memory are written without the rest': async (host, folder) => {
    const memory = bytesOf(100);
    await host.writeFile(host.join(folder, 'part'), memory.subarray(10, 20));
    memory.fill(0);
    same([...(await host.readFile(host.join(folder, 'part')))], [...bytesOf(100).subarray(10, 20)], 'part');
  },

  'opening says what is wrong': async (host, folder) => {
    const path = host.join(folder, 'file');
    same(await codeOf(host.open(path, 'r')), 'ENOENT', 'r without a file');
    same(await codeOf(host.open(host.join(folder, 'no', 'file'), 'w')), 'ENOENT', 'w without a folder');
    await (await host.open(path, 'wx')).close();
    same(await codeOf(host.open(path, 'wx')), 'EEXIST', 'wx with a file');
    same(await codeOf(host.open(folder, 'w')), 'EISDIR', 'w of a folder');
    same(await codeOf(host.open(host.join(path, 'below'), 'w')), 'ENOTDIR', 'below a file');
    same(await codeOf(host.readFile(host.join(folder, 'none'))), 'ENOENT', 'reading nothing');
    same(await codeOf(host.readFile(folder)), 'EISDIR', 'reading a folder');
    same(await codeOf(host.writeFile(folder, 'x')), 'EISDIR', 'writing a folder');
    same(await codeOf(host.stat(host.join(folder, 'none'))), 'ENOENT', 'stat of nothing');
    same(await codeOf(host.lstat(host.join(path, 'x'))), 'ENOTDIR', 'stat below a file');
  },

  'of two that make the same new file, one does': async (host, folder) => {
    const path = host.join(folder, 'lock');
    const both = await Promise.allSettled([host.open(path, 'wx'), host.open(path, 'wx')]);
    same(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'], 'outcomes');
    for (const each of both) if (each.status === 'fulfilled') await each.value.close();
  },

  'pieces are written one after the other, and read from anywhere': async (host, folder) => {
    const path = host.join(folder, 'pieces');
    const all = bytesOf(9000);
    const handle = await host.open(path, 'w');
    for (let at = 0; at < all.length; at += 1000) {
      same((await handle.write(all, at, 1000, at)).bytesWritten, 1000, 'bytesWritten');
    }
    await handle.close();
    const reader = await host.open(path, 'r');
    const into = new Uint8Array(4000).fill(255);
    same((await reader.read(into, 100, 2500, 1500)).bytesRead, 2500, 'across pieces');
    same([...into.subarray(100, 2600)], [...all.subarray(1500, 4000)], 'the bytes of the middle');
    same([into[99], into[2600]], [255, 255], 'nothing else was touched');
    same((await reader.read(into, 0, 4000, 8500)).bytesRead, 500, 'at the end');
    same((await reader.read(into, 0, 10, 9000)).bytesRead, 0, 'behind the end');
    await reader.close();
  },

  'what is written over something replaces that part, whatever the pieces': async (host, folder) => {
    for (const flags of ['w', 'a'] as const) {
      const path = host.join(folder, `over-${flags}`);
      await (await host.open(path, flags)).close();
      const handle = await host.open(path, flags);
      await handle.appendFile(bytesOf(30, 1));
      await handle.appendFile(bytesOf(30, 2));
      await handle.close();
      same((await host.readFile(path)).length, 60, `${flags}: appended`);
    }
    const path = host.join(folder, 'over');
    const handle = await host.open(path, 'w');
    await handle.write(bytesOf(100, 1), 0, 100, 0);
    await handle.write(bytesOf(100, 2), 0, 10, 50);
    await handle.write(bytesOf(100, 3), 0, 20, 45);
    await handle.close();
    const expected = bytesOf(100, 1);
    expected.set(bytesOf(100, 2).subarray(0, 10), 50);
    expected.set(bytesOf(100, 3).subarray(0, 20), 45);
    same([...(await host.readFile(path))], [...expected], 'overlapping writes');
  },

  'lines are appended to what is there, also by the next that opens it': async (host, folder) => {
    const path = host.join(folder, 'log.jsonl');
    for (let round = 0; round < 3; round++) {
      const handle = await host.open(path, 'a');
      for (let line = 0; line < 4; line++) await handle.appendFile(`${round}:${line}\n`);
      await handle.close();
    }
    const lines = (await host.readFile(path, 'utf8')).trimEnd().split('\n');
    same(
      lines,
      ['0:0', '0:1', '0:2', '0:3', '1:0', '1:1', '1:2', '1:3', '2:0', '2:1', '2:2', '2:3'],
      'lines',
    );
  },

  'a file is cut where it is told, and appended to from there': async (host, folder) => {
    const path = host.join(folder, 'cut');
    const handle = await host.open(path, 'a');
    for (const text of ['first\n', 'second\n', 'half of a li']) await handle.appendFile(text);
    await handle.truncate(13);
    same((await handle.stat()).size, 13, 'size');
    await handle.truncate(9);
    await handle.appendFile('!\n');
    same(await host.readFile(path, 'utf8'), 'first\nsec!\n', 'what is left');
    await handle.truncate(0);
    same(await host.readFile(path, 'utf8'), '', 'nothing');
    await handle.truncate(3);
    same([...(await host.readFile(path))], [0, 0, 0], 'made longer');
    await handle.close();
  },

  'what was flushed is there for others, and writing goes on': async (host, folder) => {
    const path = host.join(folder, 'flushed');
    const handle = await host.open(path, 'w');
    await handle.write(bytesOf(10), 0, 10, 0);
    await host.flush(handle);
    same((await host.stat(path)).size, 10, 'after the first flush');
    await handle.write(bytesOf(20), 10, 10, 10);
    await host.flush(handle, { dataOnly: true });
    same((await handle.stat()).size, 20, 'the handle knows');
    await handle.close();
    same([...(await host.readFile(path))], [...bytesOf(20)], 'both halves');
  },

  'writeFile of a handle writes all of it': async (host, folder) => {
    const path = host.join(folder, 'handle');
    const handle = await host.open(path, 'w');
    await handle.writeFile('one ');
    await handle.writeFile('two');
    await handle.close();
    same(await host.readFile(path, 'utf8'), 'one two', 'text');
  },

  'an open file knows that it was removed, or replaced': async (host, folder) => {
    const path = host.join(folder, 'log');
    await host.writeFile(path, 'old');
    const handle = await host.open(path, 'a');
    same((await handle.stat()).nlink, 1, 'before');
    await host.writeFile(host.join(folder, 'new'), 'new');
    await host.rename(host.join(folder, 'new'), path);
    same((await handle.stat()).nlink, 0, 'replaced');
    await handle.close();
    const other = await host.open(path, 'a');
    await host.rm(path);
    same((await other.stat()).nlink, 0, 'removed');
    await other.close();
  },

  'stat tells kind, size and time': async (host, folder) => {
    const path = host.join(folder, 'timed');
    await host.writeFile(path, 'four');
    const moment = new Date(1_700_000_000_000);
    await host.utimes(path, moment, moment);
    const found = await host.stat(path);
    same(
      [found.size, found.mtimeMs, found.isFile(), found.isDirectory()],
      [4, 1_700_000_000_000, true, false],
      'file',
    );
    const of = await host.lstat(folder);
    same([of.isFile(), of.isDirectory()], [false, true], 'folder');
    same(await codeOf(host.utimes(host.join(folder, 'none'), moment, moment)), 'ENOENT', 'times of nothing');
  },
};

async function hashOf(host: typeof Host, path: string): Promise<string> {
  return host
    .createSha256()
    .update(await host.readFile(path))
    .digest();
}
