import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Database, request } from '../src/browser/database.js';
import { RecordContents } from '../src/browser/records.js';
import { childrenOf, find, makeFolder, move, put, remove } from '../src/browser/tree.js';
import { bytesOf } from './support/expecting.js';

let database: Database;
beforeEach(async () => {
  vi.stubGlobal('indexedDB', new IDBFactory());
  vi.stubGlobal('IDBKeyRange', IDBKeyRange);
  database = await Database.open();
});
afterEach(() => vi.unstubAllGlobals());

let ids = 0;
const newId = () => `id-${++ids}`;

describe('the database', () => {
  test('does all of a piece of work, or nothing when it fails', async () => {
    const failing = database.run('readwrite', async ({ entries }) => {
      await request(entries.put({ id: 'a', kind: 'file', modified: 0 }, ['', 'a']));
      await request(entries.put({ id: 'b', kind: 'file', modified: 0 }, ['', 'b']));
      throw new Error('in the middle');
    });
    await expect(failing).rejects.toThrow('in the middle');
    expect(await names('/')).toEqual([]);
  });

  test('says why a request was refused, and keeps nothing of its work', async () => {
    const failing = database.run('readwrite', async ({ entries }) => {
      await request(entries.put({ id: 'a', kind: 'file', modified: 0 }, ['', 'a']));
      await request(entries.add({ id: 'c', kind: 'file', modified: 0 }, ['', 'a']));
    });
    await expect(failing).rejects.toMatchObject({ name: 'ConstraintError' });
    expect(await names('/')).toEqual([]);
  });

  test('does not let a reader write', async () => {
    const failing = database.run('readonly', async ({ entries }) => request(entries.clear()));
    await expect(failing).rejects.toMatchObject({ name: 'ReadOnlyError' });
  });

  test('is the same one for the next that opens it', async () => {
    await database.run('readwrite', (stores) => makeFolder(stores, '/kept', newId, false));
    const again = await Database.open();
    expect(await again.run('readonly', (stores) => find(stores, '/kept', 'stat'))).toMatchObject({
      entry: { kind: 'folder' },
    });
  });

  test('that cannot be opened rejects with the reason', async () => {
    vi.stubGlobal('indexedDB', {
      open: () => {
        const opening = { error: new DOMException('broken', 'UnknownError'), onerror: () => {} };
        queueMicrotask(() => opening.onerror());
        return opening;
      },
    });
    await expect(Database.open()).rejects.toMatchObject({ name: 'UnknownError' });
  });
});

describe('the tree', () => {
  test('gives back the files whose contents nobody needs, at every depth', async () => {
    await grow(['/a/1', '/a/b/2', '/a/b/c/3', '/other/4']);
    const gone = await database.run('readwrite', async (stores) =>
      remove(stores, await find(stores, '/a', 'rm')),
    );
    expect(gone.map(({ kind }) => kind)).toEqual(['file', 'file', 'file']);
    expect(await names('/')).toEqual(['other']);
    const left = await database.run('readonly', ({ entries }) => request(entries.count()));
    expect(left).toBe(2);
  });

  test('moves a folder by one entry, so that nothing in it changes', async () => {
    await grow(['/part/x', '/part/deep/y']);
    const before = await entryOf('/part/deep/y');
    const replaced = await database.run('readwrite', (stores) => move(stores, '/part', '/whole'));
    expect(replaced).toEqual([]);
    expect(await entryOf('/whole/deep/y')).toEqual(before);
    expect(await names('/')).toEqual(['whole']);
  });

  test('gives back what a rename has replaced', async () => {
    await grow(['/new', '/old']);
    const old = await entryOf('/old');
    const replaced = await database.run('readwrite', (stores) => move(stores, '/new', '/old'));
    expect(replaced).toEqual([old]);
  });

  test('does not mix folders whose ids begin alike', async () => {
    await database.run('readwrite', async (stores) => {
      await put(stores, { key: ['', 'x'], entry: undefined }, { id: 'f', kind: 'folder', modified: 0 });
      await put(stores, { key: ['f', 'in'], entry: undefined }, { id: '1', kind: 'file', modified: 0 });
      await put(stores, { key: ['ff', 'not'], entry: undefined }, { id: '2', kind: 'file', modified: 0 });
    });
    expect(await names('/x')).toEqual(['in']);
  });
});

describe('contents in the database', () => {
  test('are what a plain array would be, after any writes and cuts', async () => {
    const contents = new RecordContents(database);
    let model = new Uint8Array();
    const random = numbers(11);
    for (let step = 0; step < 60; step++) {
      if (random(5) === 0) {
        const size = random(model.length + 20);
        await contents.truncate('f', size);
        model = resized(model, size);
      } else {
        // A file may be written over, and appended to, but has no holes.
        const at = random(3) === 0 ? random(model.length + 1) : model.length;
        const bytes = bytesOf(random(40), step);
        await (await contents.writer('f')).write(bytes, at);
        if (bytes.length > 0) model = resized(model, Math.max(model.length, at + bytes.length));
        model.set(bytes, at);
      }
      const [begin, end] = [random(model.length + 5), random(model.length + 5)].sort((a, b) => a - b);
      expect(await contents.size('f'), `step ${step}`).toBe(model.length);
      expect([...(await contents.read('f', begin!, end!))], `step ${step}, ${begin} to ${end}`).toEqual([
        ...model.subarray(begin, end),
      ]);
    }
  });

  test('are apart from each other, and gone when they are removed', async () => {
    const contents = new RecordContents(database);
    for (const [i, id] of ['a', 'a-', 'b'].entries())
      await (await contents.writer(id)).write(bytesOf(5, i), 0);
    await contents.remove(['a', 'none']);
    expect(await contents.size('a')).toBe(0);
    expect(await contents.read('a', 0, 10)).toHaveLength(0);
    expect([...(await contents.read('a-', 0, 10))]).toEqual([...bytesOf(5, 1)]);
    expect(await database.run('readonly', ({ pieces }) => request(pieces.count()))).toBe(2);
  });

  test('store a copy of their bytes alone, not of the memory around them', async () => {
    const contents = new RecordContents(database);
    await (await contents.writer('a')).write(bytesOf(1000).subarray(3, 5), 0);
    const [piece] = await database.run('readonly', ({ pieces }) => request(pieces.getAll()));
    expect((piece as Uint8Array).buffer.byteLength).toBe(2);
  });
});

async function grow(files: readonly string[]): Promise<void> {
  await database.run('readwrite', async (stores) => {
    for (const path of files) {
      await makeFolder(stores, path.slice(0, path.lastIndexOf('/')), newId, true);
      const place = await find(stores, path, 'open');
      await put(stores, place, { id: newId(), kind: 'file', store: 'records', modified: 1 });
    }
  });
}

async function entryOf(path: string) {
  return (await database.run('readonly', (stores) => find(stores, path, 'stat'))).entry;
}

function names(path: string): Promise<string[]> {
  return database.run('readonly', async (stores) => [
    ...(await childrenOf(stores, (await find(stores, path, 'scandir')).entry!)).keys(),
  ]);
}

function resized(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const next = new Uint8Array(length);
  next.set(bytes.subarray(0, length));
  return next;
}

function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % below;
  };
}
