import { type Entry, request, type Stores } from './database.js';
import { failure } from './errors.js';
import { namesOf, resolve } from './paths.js';

const ROOT: Entry = { id: '', kind: 'folder', modified: 0 };

/** Where an entry is, or would be. */
export interface Place {
  readonly key: readonly [folder: string, name: string];
  readonly entry: Entry | undefined;
}

/** Looks a path up; its folder must exist. */
export async function find({ entries }: Stores, path: string, call: string): Promise<Place> {
  const names = namesOf(path);
  let entry: Entry | undefined = ROOT;
  let key: Place['key'] = ['', ''];
  for (const [index, name] of names.entries()) {
    if (entry === undefined) throw failure('ENOENT', call, path);
    if (entry.kind !== 'folder') throw failure('ENOTDIR', call, path);
    key = [entry.id, name];
    entry = (await request(entries.get([...key]))) as Entry | undefined;
    if (entry === undefined && index < names.length - 1) throw failure('ENOENT', call, path);
  }
  return { key, entry };
}

export async function findEntry(stores: Stores, path: string, call: string): Promise<Entry> {
  const { entry } = await find(stores, path, call);
  if (entry === undefined) throw failure('ENOENT', call, path);
  return entry;
}

export async function put({ entries }: Stores, { key }: Place, entry: Entry): Promise<Entry> {
  await request(entries.put(entry, [...key]));
  return entry;
}

export async function makeFolder(
  stores: Stores,
  path: string,
  newId: () => string,
  recursive: boolean,
): Promise<void> {
  const names = namesOf(path);
  if (names.length === 0) return;
  const first = recursive ? 1 : names.length;
  for (let depth = first; depth <= names.length; depth++) {
    const part = `/${names.slice(0, depth).join('/')}`;
    const place = await find(stores, part, 'mkdir');
    if (place.entry?.kind === 'file') {
      throw failure(depth < names.length ? 'ENOTDIR' : 'EEXIST', 'mkdir', path);
    }
    if (place.entry && !recursive) throw failure('EEXIST', 'mkdir', path);
    if (!place.entry) await put(stores, place, { id: newId(), kind: 'folder', modified: Date.now() });
  }
}

/** The names and entries in a folder. */
export async function childrenOf({ entries }: Stores, { id }: Entry): Promise<Map<string, Entry>> {
  // An array comes after every string.
  const range = IDBKeyRange.bound([id], [id, []]);
  const [keys, values] = await Promise.all([
    request(entries.getAllKeys(range)),
    request(entries.getAll(range)),
  ]);
  return new Map(keys.map((key, i) => [(key as [string, string])[1], values[i] as Entry]));
}

/** Takes a file, or a folder with all it holds, out of the tree; returns the files whose contents nobody needs now. */
export async function remove(stores: Stores, { key, entry }: Place): Promise<Entry[]> {
  if (!entry) return [];
  const gone: Entry[] = entry.kind === 'file' ? [entry] : [];
  if (entry.kind === 'folder') {
    for (const [name, child] of await childrenOf(stores, entry)) {
      gone.push(...(await remove(stores, { key: [entry.id, name], entry: child })));
    }
  }
  await request(stores.entries.delete([...key]));
  return gone;
}

/** Gives an entry another name: a folder moves with all it holds, at once. A file replaces a file. */
export async function move(stores: Stores, from: string, to: string): Promise<Entry[]> {
  const source = await find(stores, from, 'rename');
  if (!source.entry) throw failure('ENOENT', 'rename', from);
  const target = await find(stores, to, 'rename');
  if (source.entry.id === target.entry?.id) return [];
  // It would hold itself, and nobody could reach it.
  if (`${resolve(to)}/`.startsWith(`${resolve(from)}/`)) throw failure('EINVAL', 'rename', from);
  if (target.entry && source.entry.kind === 'folder') {
    if (target.entry.kind === 'file') throw failure('ENOTDIR', 'rename', to);
    if ((await childrenOf(stores, target.entry)).size > 0) throw failure('ENOTEMPTY', 'rename', to);
  }
  if (target.entry?.kind === 'folder' && source.entry.kind === 'file') throw failure('EISDIR', 'rename', to);
  const replaced = await remove(stores, target);
  await request(stores.entries.delete([...source.key]));
  await put(stores, target, source.entry);
  return replaced;
}
