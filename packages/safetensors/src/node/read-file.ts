import { createSha256, type FileHandle, type FileSystem, newMemory } from '@hookline/host';
import { SafetensorsError } from '../errors.js';
import { failed } from './file-system.js';
import type { FileDigest } from './hashed-file.js';

const CHUNK = 2 ** 20;
/**
 * Reads under way while a chunk is hashed. One would do on a machine with nothing else to do; on a busy one a thread
 * that has lost its turn must not make the other wait.
 */
const AHEAD = 3;

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
  const bytes = newMemory(end - begin);
  await readAhead(handle, begin, end, (at, size) => bytes.subarray(at - begin, at - begin + size));
  return bytes;
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
    const bytes = newMemory(expected.bytes);
    const sha256 = await hashWhole(handle, expected.bytes, (at, size) => bytes.subarray(at, at + size));
    checkHash(path, sha256, expected);
    return bytes;
  });
}

/** As `readVerified`, without keeping it. */
export function verifyFile(fs: FileSystem, path: string, expected: FileDigest): Promise<void> {
  return withFile(fs, path, async (handle) => {
    await checkSize(handle, path, expected);
    // One for each chunk that is being read, and one for the chunk that is being hashed.
    const room = newMemory(Math.min((AHEAD + 1) * CHUNK, expected.bytes));
    const sha256 = await hashWhole(handle, expected.bytes, (at, size) => {
      const start = at % ((AHEAD + 1) * CHUNK);
      return room.subarray(start, start + size);
    });
    checkHash(path, sha256, expected);
  });
}

/** Where a chunk goes that begins at this byte of the file. */
type Room = (at: number, size: number) => Uint8Array;

/** The system's threads read while this one hashes. */
async function hashWhole(handle: FileHandle, bytes: number, room: Room): Promise<string> {
  const hash = createSha256();
  await readAhead(handle, 0, bytes, room, (chunk) => hash.update(chunk));
  return hash.digest();
}

/** Hands over chunk after chunk, in their order, with the next ones being read meanwhile. */
async function readAhead(
  handle: FileHandle,
  begin: number,
  end: number,
  room: Room,
  use: (chunk: Uint8Array) => unknown = () => {},
): Promise<void> {
  const underWay: Promise<Uint8Array>[] = [];
  let next = begin;
  const readNext = () => {
    if (next >= end) return;
    const reading = fill(handle, room(next, Math.min(CHUNK, end - next)), next);
    // Nobody waits for it yet; its turn comes below.
    reading.catch(() => {});
    underWay.push(reading);
    next += CHUNK;
  };
  try {
    while (underWay.length < AHEAD && next < end) readNext();
    for (let reading = underWay.shift(); reading; reading = underWay.shift()) {
      const chunk = await reading;
      readNext();
      use(chunk);
    }
  } finally {
    // The file must not be closed before: its number may be another file's by then.
    await Promise.allSettled(underWay);
  }
}

async function fill(handle: FileHandle, target: Uint8Array, position: number): Promise<Uint8Array> {
  for (let done = 0; done < target.byteLength; ) {
    const { bytesRead } = await handle.read(target, done, target.byteLength - done, position + done);
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
