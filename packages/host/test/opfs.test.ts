import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { OpfsContents } from '../src/browser/opfs.js';
import { bytesOf } from './support/expecting.js';
import { FakeOpfs } from './support/fake-opfs.js';

let opfs: FakeOpfs;
let contents: OpfsContents;
beforeEach(async () => {
  opfs = new FakeOpfs();
  vi.stubGlobal('navigator', { storage: opfs.manager });
  contents = (await OpfsContents.open())!;
});
afterEach(() => vi.unstubAllGlobals());

describe('contents in the origin private file system', () => {
  test('are there for others once they are finished, and not before', async () => {
    const writer = await contents.writer('a');
    await writer.write(bytesOf(10), 0);
    expect(await contents.size('a')).toBe(0);
    await writer.finish();
    expect([...(await contents.read('a', 0, 100))]).toEqual([...bytesOf(10)]);
    expect(opfs.open).toBe(0);
  });

  test('keep what they had when more is written', async () => {
    for (const [bytes, position] of [
      [bytesOf(10, 1), 0],
      [bytesOf(5, 2), 10],
    ] as const) {
      const writer = await contents.writer('a');
      await writer.write(bytes, position);
      await writer.finish();
    }
    expect([...(await contents.read('a', 0, 100))]).toEqual([...bytesOf(10, 1), ...bytesOf(5, 2)]);
    expect([...(await contents.read('a', 8, 12))]).toEqual([
      ...bytesOf(10, 1).slice(8),
      ...bytesOf(5, 2).slice(0, 2),
    ]);
  });

  test('are cut, and made longer by zeros', async () => {
    const writer = await contents.writer('a');
    await writer.write(bytesOf(10), 0);
    await writer.finish();
    await contents.truncate('a', 4);
    await contents.truncate('a', 6);
    expect([...(await contents.read('a', 0, 100))]).toEqual([...bytesOf(4), 0, 0]);
  });

  test('that were never written are empty', async () => {
    expect(await contents.size('never')).toBe(0);
    expect(await contents.read('never', 0, 10)).toHaveLength(0);
    expect(await contents.ids()).toEqual([]);
  });

  test('are removed, also when some of them are gone already', async () => {
    for (const id of ['a', 'b', 'c']) await (await contents.writer(id)).finish();
    await contents.remove(['a', 'gone', 'c']);
    expect(await contents.ids()).toEqual(['b']);
  });

  test('that cannot be read for another reason say so', async () => {
    const failing = new DOMException('no', 'NotReadableError');
    const folder = {
      getFileHandle: async (name: string) => {
        if (name === '.probe') return { createWritable: async () => ({}) };
        throw failing;
      },
    };
    const storage = { getDirectory: async () => ({ getDirectoryHandle: async () => folder }) };
    vi.stubGlobal('navigator', { storage });
    const broken = (await OpfsContents.open())!;
    await expect(broken.size('a')).rejects.toBe(failing);
  });
});
