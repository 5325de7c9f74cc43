import { messageOf } from '@hookline/hook-api/helpers';
import { join, listFolder, relative, resolve, sep } from '@hookline/host';
import { openFolder, readPointer, writePointer } from '@hookline/safetensors/node';
import { byAge, type Rotatable } from '../rank/rotation.js';
import { type CheckpointInfo, isCheckpointInfo, ratingsOf } from './checkpoint-info.js';

/** A complete checkpoint in a folder, as its manifest describes it. */
export interface Entry extends Rotatable {
  readonly name: string;
  readonly info: CheckpointInfo;
}

export interface Listing {
  /** The newest first. */
  readonly entries: readonly Entry[];
  /** Folders that look like checkpoints but cannot be read, with the reason. */
  readonly damaged: readonly { readonly path: string; readonly reason: string }[];
}

/** The checkpoints in a folder, by their manifests alone; none when there is no such folder. */
export async function listCheckpoints(dir: string): Promise<Listing> {
  const found = await listFolder(dir).catch((error: { code?: string }) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
  const entries: Entry[] = [];
  const damaged: { path: string; reason: string }[] = [];
  for (const each of found) {
    // A dot at the start: it is being written, or removed.
    if (!each.isDirectory() || each.name.startsWith('.')) continue;
    const path = join(dir, each.name);
    try {
      const entry = await readEntry(path);
      if (entry) entries.push(entry);
    } catch (error) {
      damaged.push({ path, reason: messageOf(error) });
    }
  }
  return { entries: byAge(entries), damaged };
}

/** Undefined when the folder is complete, but not a checkpoint of this hook. */
export async function readEntry(path: string): Promise<Entry | undefined> {
  const { info } = (await openFolder(path)).manifest;
  return isCheckpointInfo(info) ? entryOf(path, info) : undefined;
}

export function entryOf(path: string, info: CheckpointInfo): Entry {
  const { sequence, lineage } = info;
  return { name: path.split(sep).at(-1)!, path, sequence, lineage, ratings: ratingsOf(info), info };
}

/** Writes a small file that names a checkpoint, relative to its folder: moved together, both stay right. */
export async function pointTo(dir: string, pointer: string, path: string): Promise<void> {
  await writePointer(join(dir, `${pointer}.json`), relative(dir, path).split(sep).join('/'));
}

/** Where the pointer points to; undefined when there is none, or it is damaged. */
export async function pointed(dir: string, pointer: string): Promise<string | undefined> {
  const value = await readPointer(join(dir, `${pointer}.json`)).catch(() => undefined);
  return typeof value === 'string' ? resolve(dir, value) : undefined;
}
