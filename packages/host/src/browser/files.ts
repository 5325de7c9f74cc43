import type { FileSystem, ListFolder, WholeFiles } from '../contract.js';
import { asFailure, failure } from './errors.js';
import { openFile, statsOf } from './open-file.js';
import { lookAround } from './process-mark.js';
import { contentsOf, discard, type Storage, storage } from './storage.js';
import { childrenOf, find, findEntry, makeFolder, move, put, remove } from './tree.js';

/** Contents up to this size go into the database together with their entry, at once. */
const SMALL = 2 ** 16;

export const fileSystem: FileSystem = {
  lstat: (path) => stat(path),
  mkdir: (path, { recursive = false } = {}) =>
    within('mkdir', path, ({ database }) =>
      database.run('readwrite', (stores) => makeFolder(stores, path, newId, recursive), 'strict'),
    ),
  open: (path, flags) => within('open', path, (place) => openFile(place, path, flags, newId)),
  readdir: async (path) => (await listFolder(path)).map(({ name }) => name),
  rename: (from, to) =>
    within('rename', from, async (place) => {
      const replaced = await place.database.run('readwrite', (stores) => move(stores, from, to), 'strict');
      await discard(place, replaced);
    }),
  rm: (path, options) => within('rm', path, (place) => removePath(place, path, options)),
  utimes: (path, _accessed, modified) =>
    within('utime', path, ({ database }) =>
      database.run('readwrite', async (stores) => {
        const found = await find(stores, path, 'utime');
        if (!found.entry) throw failure('ENOENT', 'utime', path);
        await put(stores, found, { ...found.entry, modified: modified.getTime() });
      }),
    ),
};

export const stat: WholeFiles['stat'] = (path) =>
  within('stat', path, async (place) => {
    const entry = await place.database.run('readonly', (stores) => findEntry(stores, path, 'stat'));
    const size = entry.kind === 'file' ? await contentsOf(place, entry).size(entry.id) : 0;
    return statsOf(entry, size);
  });

export const listFolder: ListFolder = (path) =>
  within('scandir', path, async ({ database }) => {
    await lookAround();
    const children = await database.run('readonly', async (stores) => {
      const entry = await findEntry(stores, path, 'scandir');
      if (entry.kind === 'file') throw failure('ENOTDIR', 'scandir', path);
      return childrenOf(stores, entry);
    });
    return [...children].map(([name, { kind }]) => ({
      name,
      isFile: () => kind === 'file',
      isDirectory: () => kind === 'folder',
    }));
  });

export const readFile: WholeFiles['readFile'] = (async (path: string, encoding?: 'utf8') =>
  within('open', path, async (place) => {
    await lookAround();
    const bytes = await wholeContent(place, path);
    return encoding ? new TextDecoder().decode(bytes) : bytes;
  })) as WholeFiles['readFile'];

export const writeFile: WholeFiles['writeFile'] = async (path, data) => {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  if (bytes.length > SMALL) {
    const handle = await fileSystem.open(path, 'w');
    await handle.writeFile(bytes).finally(() => handle.close());
    return;
  }
  await within('open', path, async (place) => {
    const replaced = await place.database.run('readwrite', async (stores) => {
      const found = await find(stores, path, 'open');
      if (found.entry?.kind === 'folder') throw failure('EISDIR', 'open', path);
      const entry = { id: newId(), kind: 'file', store: 'records', modified: Date.now() } as const;
      await put(stores, found, entry);
      if (bytes.length > 0) stores.pieces.put(bytes.slice(), [entry.id, 0]);
      return found.entry;
    });
    if (replaced) await discard(place, [replaced]);
  });
};

/** How much more this site may store, by the browser's estimate. */
export async function freeSpace(_folder: string): Promise<number | undefined> {
  const { usage, quota } = (await globalThis.navigator?.storage?.estimate?.().catch(() => undefined)) ?? {};
  return usage === undefined || quota === undefined ? undefined : Math.max(0, quota - usage);
}

/** Another tab may replace the file after it was looked up: then its content is gone, and that of the new one is read. */
async function wholeContent(place: Storage, path: string): Promise<Uint8Array> {
  const look = () => place.database.run('readonly', (stores) => findEntry(stores, path, 'open'));
  for (let entry = await look(); ; ) {
    if (entry.kind === 'folder') throw failure('EISDIR', 'read', path);
    const read = contentsOf(place, entry).read(entry.id, 0, Number.MAX_SAFE_INTEGER);
    const { bytes, error } = await read.then(
      (bytes) => ({ bytes, error: undefined }),
      (error: unknown) => ({ bytes: new Uint8Array(), error }),
    );
    if (bytes.length > 0) return bytes;
    const now = await look();
    if (now.id === entry.id) {
      if (error !== undefined) throw error;
      return bytes;
    }
    entry = now;
  }
}

async function removePath(
  place: Storage,
  path: string,
  { recursive = false, force = false }: { readonly recursive?: boolean; readonly force?: boolean } = {},
): Promise<void> {
  const gone = await place.database.run(
    'readwrite',
    async (stores) => {
      const found = await find(stores, path, 'rm').catch((error) => {
        if (force && error.code === 'ENOENT') return undefined;
        throw error;
      });
      if (!found?.entry) {
        if (force) return [];
        throw failure('ENOENT', 'rm', path);
      }
      if (found.entry.kind === 'folder' && !recursive) throw failure('EISDIR', 'rm', path);
      return remove(stores, found);
    },
    'strict',
  );
  await discard(place, gone);
}

async function within<Value>(
  call: string,
  path: string,
  work: (place: Storage) => Promise<Value>,
): Promise<Value> {
  try {
    return await work(await storage());
  } catch (error) {
    throw await asFailure(error, call, path);
  }
}

function newId(): string {
  return crypto.randomUUID?.() ?? Array.from(crypto.getRandomValues(new Uint32Array(4))).join('-');
}
