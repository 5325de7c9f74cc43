import type { Contents, ContentWriter } from './contents.js';

/** Contents in the origin private file system, each a file that is named by its id, in one folder. */
export class OpfsContents implements Contents {
  private constructor(private readonly folder: FileSystemDirectoryHandle) {}

  /** Undefined where the browser has none, or none that this page may use: a private window of Firefox. */
  static async open(): Promise<OpfsContents | undefined> {
    try {
      const root = await navigator.storage.getDirectory();
      const folder = await root.getDirectoryHandle('hookline', { create: true });
      const probe = await folder.getFileHandle('.probe', { create: true });
      return typeof probe.createWritable === 'function' ? new OpfsContents(folder) : undefined;
    } catch {
      return undefined;
    }
  }

  async ids(): Promise<string[]> {
    const names: string[] = [];
    for await (const name of this.folder.keys()) if (name !== '.probe') names.push(name);
    return names;
  }

  async size(id: string): Promise<number> {
    return (await this.#file(id))?.size ?? 0;
  }

  async read(id: string, begin: number, end: number): Promise<Uint8Array> {
    const part = (await this.#file(id))?.slice(begin, end);
    return new Uint8Array(await (part ?? new Blob()).arrayBuffer());
  }

  async writer(id: string): Promise<ContentWriter> {
    const stream = await this.#stream(id);
    return {
      write: (bytes, position) => stream.write({ type: 'write', position, data: bytes as BufferSource }),
      finish: () => stream.close(),
    };
  }

  async truncate(id: string, size: number): Promise<void> {
    const stream = await this.#stream(id);
    await stream.truncate(size);
    await stream.close();
  }

  async remove(ids: readonly string[]): Promise<void> {
    // What is in use now, or gone already, is left to the next sweep.
    await Promise.all(ids.map((id) => this.folder.removeEntry(id).catch(() => {})));
  }

  async #stream(id: string): Promise<FileSystemWritableFileStream> {
    const handle = await this.folder.getFileHandle(id, { create: true });
    return handle.createWritable({ keepExistingData: true });
  }

  async #file(id: string): Promise<File | undefined> {
    try {
      return await (await this.folder.getFileHandle(id)).getFile();
    } catch (error) {
      if (Object(error).name === 'NotFoundError') return undefined;
      throw error;
    }
  }
}
