import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bytesOf } from './support/expecting.js';
import { FakeSite, type Tab } from './support/fake-site.js';

let site: FakeSite;
beforeEach(() => {
  site = new FakeSite();
});
afterEach(() => vi.unstubAllGlobals());

const LARGE = 70_000;

describe('tabs of a site', () => {
  test('share their files, and what one has closed the next one opens', async () => {
    const first = await site.openTab();
    await first.host.mkdir('/runs/1', { recursive: true });
    await first.host.writeFile('/runs/1/state', bytesOf(LARGE));
    await first.host.writeFile('/runs/1/run.json', '{}');
    first.kill();
    const { host } = await site.openTab();
    expect((await host.readdir('/runs/1')).sort()).toEqual(['run.json', 'state']);
    expect(await holds(host, '/runs/1/state', LARGE)).toBe(true);
  });

  test('know of each other who lives, and that a killed one does not', async () => {
    const first = await site.openTab();
    await first.host.mkdir('/a');
    const mark = first.host.thisProcess();
    expect(first.host.fateOf(mark)).toBe('alive');
    const { host } = await site.openTab();
    expect(host.thisProcess()).not.toEqual(mark);
    await host.readdir('/a');
    expect(host.fateOf(mark)).toBe('alive');
    first.kill();
    await host.readdir('/a');
    expect(host.fateOf(mark)).toBe('dead');
    expect(host.fateOf(host.thisProcess())).toBe('alive');
    expect(host.ownerName(mark)).toBe('another tab or worker of this site');
  });

  test('are marked as alive before they have written anything', async () => {
    const first = await site.openTab();
    await first.host.readdir('/');
    const { host } = await site.openTab();
    await host.readdir('/');
    expect(host.fateOf(first.host.thisProcess())).toBe('alive');
  });

  test('cannot tell about each other without locks, and never about a process of Node', async () => {
    const first = await site.openTab({ locks: false });
    await first.host.mkdir('/a');
    const { host } = await site.openTab({ locks: false });
    await host.readdir('/a');
    expect(host.fateOf(first.host.thisProcess())).toBe('elsewhere');
    expect(host.fateOf({ host: '12345678', pid: 7, start: 1 })).toBe('elsewhere');
    expect(host.ownerName({ host: '12345678', pid: 7, start: 1 })).toBe('process 7');
  });

  test('a lock that is refused does not keep a tab from its files', async () => {
    const { host } = await site.openTab();
    const request = () => Promise.reject(new DOMException('not here', 'SecurityError'));
    vi.stubGlobal('navigator', { ...navigator, locks: { request, query: request } });
    await host.writeFile('/a', 'a');
    expect(await host.readFile('/a', 'utf8')).toBe('a');
    expect(host.fateOf({ ...host.thisProcess(), pid: 1 })).toBe('elsewhere');
  });
});

describe('where contents are', () => {
  test('large files in the file system; small ones and logs in the database', async () => {
    const { host } = await site.openTab();
    await host.writeFile('/small', bytesOf(1000));
    const log = await host.open('/log', 'a');
    await log.appendFile(bytesOf(LARGE));
    await log.close();
    expect(contents()).toEqual([]);
    await host.writeFile('/large', bytesOf(LARGE));
    const handle = await host.open('/handle', 'w');
    await handle.write(bytesOf(3), 0, 3, 0);
    await handle.close();
    expect(contents()).toEqual([LARGE, 3]);
  });

  test('nothing of a file is left once it was removed, replaced or renamed over', async () => {
    const { host } = await site.openTab();
    await host.mkdir('/folder');
    for (const name of ['/one', '/two', '/three', '/folder/four']) await host.writeFile(name, bytesOf(LARGE));
    expect(contents()).toHaveLength(4);
    await host.rm('/one');
    await host.writeFile('/two', 'small');
    await host.rename('/two', '/three');
    await host.rm('/folder', { recursive: true });
    expect(contents()).toEqual([]);
    expect(await host.readFile('/three', 'utf8')).toBe('small');
  });

  test('what a killed tab was writing is empty, and what nobody knows is swept away by the next', async () => {
    const first = await site.openTab();
    await first.host.writeFile('/whole', bytesOf(LARGE));
    const handle = await first.host.open('/half', 'w');
    await handle.write(bytesOf(LARGE), 0, LARGE, 0);
    first.kill();
    // It was killed after the tree had forgotten the file, and before the content was removed.
    site.opfs.files.set('0f0f-nobody', bytesOf(50));
    site.opfs.files.set('0f0f-nobody.crswap', bytesOf(50));
    const { host } = await site.openTab();
    expect((await host.stat('/half')).size).toBe(0);
    expect(await holds(host, '/whole', LARGE)).toBe(true);
    expect([...site.opfs.files.keys()].filter((name) => name.startsWith('0f0f'))).toEqual([]);
  });

  test('the next tab does not sweep away what another is about to write', async () => {
    const first = await site.openTab();
    const handle = await first.host.open('/slow', 'w');
    await (await site.openTab()).host.readdir('/');
    await handle.write(bytesOf(10), 0, 10, 0);
    await handle.close();
    expect(await first.host.readFile('/slow')).toEqual(bytesOf(10));
    const { host } = await site.openTab();
    expect(await host.readFile('/slow')).toEqual(bytesOf(10));
  });

  test('a file system without streams, or one that refuses, is not used', async () => {
    const withoutStreams = { getFileHandle: async () => ({}) };
    for (const getDirectory of [
      async () => ({ getDirectoryHandle: async () => withoutStreams }),
      () => Promise.reject(new DOMException('not in a private window', 'SecurityError')),
    ]) {
      const { host } = await new FakeSite().openTab();
      vi.stubGlobal('navigator', { ...navigator, storage: { ...navigator.storage, getDirectory } });
      await host.writeFile('/large', bytesOf(LARGE));
      expect(await holds(host, '/large', LARGE)).toBe(true);
    }
    expect(contents()).toEqual([]);
  });
});

describe('when nothing can be stored', () => {
  test('a full quota is ENOSPC, and says how much is used', async () => {
    const { host } = await site.openTab();
    site.opfs.quota = 2 ** 20;
    await host.writeFile('/fits', bytesOf(LARGE));
    const failing = host.writeFile('/full', bytesOf(2 ** 20));
    await expect(failing).rejects.toMatchObject({
      code: 'ENOSPC',
      errno: -28,
      syscall: 'write',
      path: '/full',
    });
    await expect(failing).rejects.toThrow(
      "ENOSPC: the storage that the browser gives this site is full (The operation failed because it would exceed the quota.), write '/full'; 0.1 of 1.0 MB are used",
    );
    expect(await host.freeSpace('/')).toBe(2 ** 20 - LARGE);
  });

  test('a handle can be closed after it was full, and what was before stays', async () => {
    const { host } = await site.openTab();
    await host.writeFile('/before', bytesOf(LARGE));
    site.opfs.quota = LARGE + 10;
    const handle = await host.open('/full', 'w');
    await handle.write(bytesOf(10), 0, 10, 0);
    await expect(handle.write(bytesOf(20), 0, 20, 10)).rejects.toMatchObject({ code: 'ENOSPC' });
    await handle.close();
    expect(site.opfs.open).toBe(0);
    expect(await holds(host, '/before', LARGE)).toBe(true);
    await host.rm('/full');
    site.opfs.quota = Number.POSITIVE_INFINITY;
    await host.writeFile('/full', bytesOf(LARGE));
    expect(await holds(host, '/full', LARGE)).toBe(true);
  });

  test('a page that may not store anything is EACCES, with the reason of the browser', async () => {
    const { host } = await site.openTab();
    const open = () => {
      throw new DOMException('The user denied permission to access the database.', 'SecurityError');
    };
    vi.stubGlobal('indexedDB', { open });
    const failing = host.mkdir('/runs');
    await expect(failing).rejects.toMatchObject({ code: 'EACCES', cause: { name: 'SecurityError' } });
    await expect(failing).rejects.toThrow(/does not let this page store anything \(The user denied/);
    vi.stubGlobal('indexedDB', undefined);
    await expect(host.readdir('/')).rejects.toMatchObject({ code: 'EACCES' });
    // It is asked again: the user may have allowed it meanwhile.
    vi.stubGlobal('indexedDB', site.indexedDB);
    await host.mkdir('/runs');
    expect(await host.readdir('/')).toEqual(['runs']);
  });

  test('a browser that does not estimate has no number', async () => {
    const { host } = await site.openTab();
    vi.stubGlobal('navigator', { storage: { estimate: () => Promise.reject(new Error('no')) } });
    expect(await host.freeSpace('/')).toBeUndefined();
    vi.stubGlobal('navigator', undefined);
    expect(await host.freeSpace('/')).toBeUndefined();
  });
});

/** Whether a file has the bytes of that length: comparing them one by one takes a runner seconds. */
async function holds(host: Tab['host'], path: string, length: number): Promise<boolean> {
  return Buffer.compare(await host.readFile(path), bytesOf(length)) === 0;
}

/** The sizes of what is in the file system. */
function contents(): number[] {
  return [...site.opfs.files].filter(([name]) => name !== '.probe').map(([, { length }]) => length);
}
