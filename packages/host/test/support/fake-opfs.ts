/** An origin private file system in memory, as the standard has it: what a stream writes is there when it is closed. */
export class FakeOpfs {
  readonly files = new Map<string, Uint8Array>();
  /** Bytes that fit. */
  quota = Number.POSITIVE_INFINITY;
  /** Streams that were opened and neither closed nor aborted. */
  open = 0;

  /** For `navigator.storage`. */
  readonly manager = {
    getDirectory: async (): Promise<unknown> => ({ getDirectoryHandle: async () => this.#folder() }),
    estimate: async () => ({ usage: this.#used(), quota: this.quota }),
  };

  #folder(): object {
    const { files } = this;
    return {
      getFileHandle: async (name: string, { create = false } = {}) => {
        if (!files.has(name) && !create) throw new DOMException('no such file', 'NotFoundError');
        if (!files.has(name)) files.set(name, new Uint8Array());
        return this.#handle(name);
      },
      removeEntry: async (name: string) => {
        if (!files.delete(name)) throw new DOMException('no such file', 'NotFoundError');
      },
      keys: async function* () {
        yield* [...files.keys()];
      },
    };
  }

  #handle(name: string): object {
    return {
      getFile: async () => new Blob([this.files.get(name)! as BlobPart]),
      createWritable: async ({ keepExistingData = false } = {}) => {
        this.open++;
        return this.#stream(name, keepExistingData ? this.files.get(name)! : new Uint8Array());
      },
    };
  }

  #stream(name: string, before: Uint8Array): object {
    let content = before;
    let isErrored = false;
    const resize = (length: number) => {
      const next = new Uint8Array(length);
      next.set(content.subarray(0, length));
      content = next;
    };
    const orErrored = () => {
      if (isErrored) throw new TypeError('Cannot close a ERRORED writable stream');
    };
    return {
      write: async ({ data, position }: { data: Uint8Array; position: number }) => {
        orErrored();
        if (this.#used() + data.length > this.quota) {
          isErrored = true;
          this.open--;
          throw new DOMException(
            'The operation failed because it would exceed the quota.',
            'QuotaExceededError',
          );
        }
        if (position + data.length > content.length) resize(position + data.length);
        else resize(content.length);
        content.set(data, position);
      },
      truncate: async (length: number) => resize(length),
      close: async () => {
        orErrored();
        this.open--;
        this.files.set(name, content);
      },
    };
  }

  #used(): number {
    return [...this.files.values()].reduce((sum, { length }) => sum + length, 0);
  }
}
