import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { SafetensorsError } from '../errors.js';
import { type FileSystem, failed } from './file-system.js';
import type { FileDigest } from './hashed-file.js';

/**
 * Small enough to stay in the processor's cache between reading and hashing. Also without hashing: on a busy machine a
 * long read loses its turn again and again.
 */
const CHUNK = 2 ** 19;

/** Opens a file, hands it over, and closes it whatever happens. */
export async function withFile<Value>(
  fs: FileSystem,
  path: string,
  use: (handle: FileHandle) => Promise<Value>,
): Promise<Value> {
  try {
    const handle = await fs.open(path, 'r');
    try {
      return await use(handle);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw failed(`Could not read "${path}"`, error);
  }
}

/** A part of a file, in memory of its own that is aligned for every type of array. */
export async function readRange(handle: FileHandle, begin: number, end: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(end - begin).buffer);
  return fill(handle, bytes, begin);
}

/** For small files. */
export function readText(fs: FileSystem, path: string): Promise<string> {
  return withFile(fs, path, async (handle) => {
    const { size } = await handle.stat();
    return new TextDecoder().decode(await readRange(handle, 0, size));
  });
}

/** A whole file that must be the one which was written, hashed while it is read. */
export function readVerified(fs: FileSystem, path: string, expected: FileDigest): Promise<Uint8Array> {
  return withFile(fs, path, async (handle) => {
    await checkSize(handle, path, expected);
    const bytes = new Uint8Array(Buffer.allocUnsafeSlow(expected.bytes).buffer);
    const sha256 = await hashWhole(handle, expected.bytes, (at, size) => bytes.subarray(at, at + size));
    checkHash(path, sha256, expected);
    return bytes;
  });
}

/** As `readVerified`, without keeping it. */
export function verifyFile(fs: FileSystem, path: string, expected: FileDigest): Promise<void> {
  return withFile(fs, path, async (handle) => {
    await checkSize(handle, path, expected);
    const size = Math.min(CHUNK, expected.bytes);
    const buffers = [Buffer.allocUnsafeSlow(size), Buffer.allocUnsafeSlow(size)];
    const sha256 = await hashWhole(handle, expected.bytes, (at, size) =>
      buffers[(at / CHUNK) % 2]!.subarray(0, size),
    );
    checkHash(path, sha256, expected);
  });
}

/** Reads the next chunk while it hashes this one. */
async function hashWhole(
  handle: FileHandle,
  bytes: number,
  room: (at: number, size: number) => Uint8Array,
): Promise<string> {
  const hash = createHash('sha256');
  let reading: Promise<Uint8Array> | undefined;
  for (let at = 0; at < bytes + CHUNK; at += CHUNK) {
    const ready = await reading;
    const size = Math.min(CHUNK, bytes - at);
    reading = size > 0 ? fill(handle, room(at, size), at) : undefined;
    // Nobody waits for it yet; the next turn does.
    reading?.catch(() => {});
    if (ready) hash.update(ready);
  }
  return hash.digest('hex');
}

async function fill(handle: FileHandle, target: Uint8Array, position: number): Promise<Uint8Array> {
  for (let done = 0; done < target.byteLength; ) {
    const size = Math.min(CHUNK, target.byteLength - done);
    const { bytesRead } = await handle.read(target, done, size, position + done);
    if (bytesRead === 0) throw endedEarly();
    done += bytesRead;
  }
  return target;
}

async function checkSize(handle: FileHandle, path: string, expected: FileDigest): Promise<void> {
  const { size } = await handle.stat();
  if (size === expected.bytes) return;
  throw new SafetensorsError(
    'CHECKSUM_MISMATCH',
    `"${path}" has ${size} bytes instead of ${expected.bytes}.`,
  );
}

function checkHash(path: string, sha256: string, expected: FileDigest): void {
  if (sha256 === expected.sha256) return;
  throw new SafetensorsError(
    'CHECKSUM_MISMATCH',
    `"${path}" is damaged: its bytes are not those that were written (sha256 ${sha256} instead of ${expected.sha256}).`,
  );
}

function endedEarly(): SafetensorsError {
  return new SafetensorsError('CHECKSUM_MISMATCH', 'The file became shorter while it was read.');
}
