import { createSha256, type FileHandle, type FileSystem, flush } from '@hookline/host';
import { failed } from './file-system.js';

/** What is known of a file that lies on the disk. */
export interface FileDigest {
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** Small enough to stay in the processor's cache between writing and hashing, large enough to be handed over seldom. */
const CHUNK = 2 ** 21;
/** Writes under way while the next chunk is hashed. More of them only wait for one another inside the system. */
const IN_FLIGHT = 2;
/** The disk is told to begin when this much waits in memory, so that there is little left to flush at the end. */
const FLUSH_EVERY = 2 ** 25;
/** Pieces below this are gathered. */
const SMALL = 2 ** 16;

/**
 * A new file, hashed while it is written. What it is given must stay as it is until it is finished: nothing is copied
 * but small pieces.
 */
export class HashedFile {
  readonly #hash = createSha256();
  readonly #writes: Promise<void>[] = [];
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #position = 0;
  #unflushed = 0;
  #flushing: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;

  private constructor(private readonly handle: FileHandle) {}

  /** Fails when the file exists. Gives what `write` left on the disk, flushed; otherwise the file is incomplete. */
  static async write(
    fs: FileSystem,
    path: string,
    write: (file: HashedFile) => Promise<void>,
  ): Promise<FileDigest> {
    try {
      const handle = await fs.open(path, 'wx');
      const file = new HashedFile(handle);
      try {
        await write(file);
        return await file.finish();
      } finally {
        await file.settle();
        await handle.close();
      }
    } catch (error) {
      throw failed(`Could not write "${path}"`, error);
    }
  }

  async append(bytes: Uint8Array): Promise<void> {
    if (bytes.byteLength < SMALL) {
      if (this.#gatheredBytes + bytes.byteLength > CHUNK) await this.flushGathered();
      this.#gathered.push(bytes);
      this.#gatheredBytes += bytes.byteLength;
      return;
    }
    await this.flushGathered();
    for (let at = 0; at < bytes.byteLength; at += CHUNK) await this.push(bytes.subarray(at, at + CHUNK));
  }

  private async flushGathered(): Promise<void> {
    if (this.#gatheredBytes === 0) return;
    const chunk = joined(this.#gathered, this.#gatheredBytes);
    this.#gathered = [];
    this.#gatheredBytes = 0;
    await this.push(chunk);
  }

  /** Starts to write, hashes meanwhile, and waits when too much is under way. */
  private async push(chunk: Uint8Array): Promise<void> {
    this.#writes.push(this.kept(writeFully(this.handle, chunk, this.#position)));
    this.#position += chunk.byteLength;
    this.#hash.update(chunk);
    if (this.#writes.length >= IN_FLIGHT) await this.#writes.shift();
    this.#unflushed += chunk.byteLength;
    if (this.#unflushed >= FLUSH_EVERY && this.#flushing === undefined) {
      this.#unflushed = 0;
      this.#flushing = this.kept(flush(this.handle, { dataOnly: true })).then(() => {
        this.#flushing = undefined;
      });
    }
    if (this.#failure) throw this.#failure.error;
  }

  private async finish(): Promise<FileDigest> {
    await this.flushGathered();
    await this.settle();
    if (this.#failure) throw this.#failure.error;
    await flush(this.handle);
    return { bytes: this.#position, sha256: this.#hash.digest() };
  }

  private async settle(): Promise<void> {
    await Promise.all([...this.#writes, this.#flushing]);
  }

  /** A failure is kept until somebody looks: nobody waits for these at the moment when they fail. */
  private async kept(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#failure ??= { error };
    }
  }
}

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

/** A write may stop half-way without being an error. */
async function writeFully(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.byteLength - done, position + done);
    done += bytesWritten;
  }
}
