import type { Contents } from './contents.js';
import { Database, type Entry, request } from './database.js';
import { failure } from './errors.js';
import { OpfsContents } from './opfs.js';
import { announce } from './process-mark.js';
import { RecordContents } from './records.js';

/** Where the files of this site are: their tree in IndexedDB, large contents in the origin private file system. */
export interface Storage {
  readonly database: Database;
  readonly records: Contents;
  /** Undefined where the browser has none. */
  readonly opfs: Contents | undefined;
}

let opening: Promise<Storage> | undefined;

export function storage(): Promise<Storage> {
  opening ??= open().catch((error) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

/** Where the content of a file is. */
export function contentsOf({ opfs, records }: Storage, { store }: Entry): Contents {
  return store === 'opfs' && opfs ? opfs : records;
}

/** Forgets contents, after the tree has forgotten their files. */
export async function discard(place: Storage, files: readonly Entry[]): Promise<void> {
  for (const store of ['opfs', 'records'] as const) {
    const ids = files.filter((file) => file.store === store).map(({ id }) => id);
    if (ids.length > 0) await contentsOf(place, { store } as Entry).remove(ids);
  }
}

async function open(): Promise<Storage> {
  if (typeof indexedDB === 'undefined') throw failure('EACCES', 'open', '/');
  // Before anything is written: others must see that its owner lives.
  await announce();
  const database = await Database.open().catch((error) => {
    throw failure('EACCES', 'open', '/', error);
  });
  const opfs = await OpfsContents.open();
  if (opfs) await sweep(database, opfs);
  return { database, records: new RecordContents(database), opfs };
}

/**
 * Removes contents without a file: a tab was killed between the two. A file enters the tree before its content is
 * written, so that what is found here belongs to nobody.
 */
async function sweep(database: Database, opfs: OpfsContents): Promise<void> {
  const found = await opfs.ids();
  if (found.length === 0) return;
  const known = await database.run('readonly', ({ entries }) =>
    request(entries.index('id').getAll()).then((all: Entry[]) => new Set(all.map(({ id }) => id))),
  );
  await opfs.remove(found.filter((id) => !known.has(id.replace(/\..*$/, ''))));
}
