import type { Contents, ContentWriter } from './contents.js';
import { type Database, request } from './database.js';

/** Contents in IndexedDB, in pieces: cheap to append to, and all there is where there is no file system. */
export class RecordContents implements Contents {
  constructor(private readonly database: Database) {}

  size(id: string): Promise<number> {
    return this.database.run('readonly', async ({ pieces }) => {
      const last = await request(pieces.openCursor(rangeOf(id), 'prev'));
      return last === null ? 0 : endOf(last.key, last.value);
    });
  }

  read(id: string, begin: number, end: number): Promise<Uint8Array> {
    return this.database.run('readonly', ({ pieces }) => this.#bytes(pieces, id, begin, end));
  }

  async writer(id: string): Promise<ContentWriter> {
    return {
      write: (bytes, position) =>
        this.database.run('readwrite', async ({ pieces }) => {
          if (bytes.length === 0) return;
          const last = await request(pieces.openCursor(rangeOf(id), 'prev'));
          const size = last === null ? 0 : endOf(last.key, last.value);
          // A copy: what is stored of a view is all of its memory.
          if (size <= position) await request(pieces.put(bytes.slice(), [id, position]));
          else await this.#writeOver(pieces, id, bytes, position, size);
        }),
      finish: async () => {},
    };
  }

  truncate(id: string, size: number): Promise<void> {
    return this.database.run('readwrite', async ({ pieces }) => {
      await request(pieces.delete(rangeOf(id, size)));
      const last = await request(pieces.openCursor(rangeOf(id), 'prev'));
      const end = last === null ? 0 : endOf(last.key, last.value);
      if (end < size) await request(pieces.put(new Uint8Array(size - end), [id, end]));
      else if (last && end > size) {
        await request(pieces.put(last.value.slice(0, size - startOf(last.key)), last.key));
      }
    });
  }

  remove(ids: readonly string[]): Promise<void> {
    return this.database.run('readwrite', async ({ pieces }) => {
      for (const id of ids) await request(pieces.delete(rangeOf(id)));
    });
  }

  async #bytes(pieces: IDBObjectStore, id: string, begin: number, end: number): Promise<Uint8Array> {
    const first = await request(pieces.openKeyCursor(rangeOf(id, 0, begin), 'prev'));
    const start = first === null ? 0 : startOf(first.key);
    const range = rangeOf(id, start, end);
    const [keys, values] = await Promise.all([
      request(pieces.getAllKeys(range)),
      request(pieces.getAll(range)) as Promise<Uint8Array[]>,
    ]);
    const ends = keys.map((key, i) => endOf(key, values[i]!));
    const bytes = new Uint8Array(Math.max(0, Math.min(end, ends.at(-1) ?? 0) - begin));
    for (const [i, key] of keys.entries()) {
      const from = Math.max(begin - startOf(key), 0);
      const piece = values[i]!.subarray(from, Math.max(from, end - startOf(key)));
      bytes.set(piece, startOf(key) + from - begin);
    }
    return bytes;
  }

  /** Pieces that overlap would hide each other: what is written over something becomes one with all there is. */
  async #writeOver(
    pieces: IDBObjectStore,
    id: string,
    bytes: Uint8Array,
    position: number,
    size: number,
  ): Promise<void> {
    const whole = new Uint8Array(Math.max(size, position + bytes.length));
    whole.set(await this.#bytes(pieces, id, 0, size));
    whole.set(bytes, position);
    await request(pieces.delete(rangeOf(id)));
    await request(pieces.put(whole, [id, 0]));
  }
}

/** The pieces that begin between two positions, both included. */
function rangeOf(id: string, begin = 0, end = Number.MAX_SAFE_INTEGER): IDBKeyRange {
  return IDBKeyRange.bound([id, begin], [id, Math.max(begin, end)]);
}

function startOf(key: IDBValidKey): number {
  return (key as [string, number])[1];
}

function endOf(key: IDBValidKey, piece: Uint8Array): number {
  return startOf(key) + piece.length;
}
