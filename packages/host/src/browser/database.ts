/** A file or folder in its folder; what a file holds is elsewhere, by its id. */
export interface Entry {
  readonly id: string;
  readonly kind: 'file' | 'folder';
  /** Where the content of a file is. */
  readonly store?: 'opfs' | 'records' | undefined;
  readonly modified: number;
}

export interface Stores {
  /** Entries by `[id of the folder, name]`. The root's id is empty. */
  readonly entries: IDBObjectStore;
  /** Pieces of contents by `[id, position]`. */
  readonly pieces: IDBObjectStore;
}

/** The database that holds the tree of files. Whatever one call of `run` does happens as a whole or not at all. */
export class Database {
  private constructor(private readonly idb: IDBDatabase) {}

  static open(): Promise<Database> {
    return new Promise((resolve, reject) => {
      const opening = indexedDB.open('hookline', 1);
      opening.onupgradeneeded = () => {
        opening.result.createObjectStore('entries').createIndex('id', 'id');
        opening.result.createObjectStore('pieces');
      };
      opening.onsuccess = () => resolve(new Database(opening.result));
      opening.onerror = () => reject(opening.error);
    });
  }

  /** `strict`: is on the disk when it settles, as far as the browser can tell. */
  run<Value>(
    mode: 'readonly' | 'readwrite',
    work: (stores: Stores) => Promise<Value>,
    durability: 'strict' | 'relaxed' = 'relaxed',
  ): Promise<Value> {
    return new Promise((resolve, reject) => {
      const transaction = this.idb.transaction(['entries', 'pieces'], mode, { durability });
      let value: Value;
      let failed: { error: unknown } | undefined;
      transaction.oncomplete = () => resolve(value);
      transaction.onabort = () => reject(failed ? failed.error : transaction.error);
      const stores = {
        entries: transaction.objectStore('entries'),
        pieces: transaction.objectStore('pieces'),
      };
      work(stores).then(
        (result) => {
          value = result;
        },
        (error) => {
          failed = { error };
          try {
            transaction.abort();
          } catch {
            // It has ended by itself, because a request of it failed.
            reject(transaction.error ?? error);
          }
        },
      );
    });
  }
}

export function request<Value>(asked: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}
