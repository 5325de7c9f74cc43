// How files of data are read in Node. In a browser `#host` is browser.ts.
import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { dataError } from '../errors.js';

/** The path that `csv()` was given. */
export function csvPath(file: string | URL): string {
  if (file instanceof URL && file.protocol === 'file:') return fileURLToPath(file);
  if (typeof file === 'string' && file !== '' && !/^https?:/.test(file)) return file;
  throw dataError(
    'BAD_OPTIONS',
    `csv() was given ${JSON.stringify(String(file))}, expected the path of a file on this machine: csv('data.csv', { labels: 'price' }).`,
  );
}

/** The bytes of a file, in pieces; unpacked when its name ends in `.gz`. */
export async function* readBytes(path: string): AsyncGenerator<Uint8Array, void> {
  // Larger pieces than the default: each takes a turn of the event loop.
  const file = createReadStream(path, { highWaterMark: 2 ** 18 });
  // Errors of both streams arrive at the last one, and destroying it destroys both.
  const stream: Readable = path.endsWith('.gz') ? pipeline(file, createGunzip(), () => {}) : file;
  try {
    for await (const bytes of stream) yield bytes as Uint8Array;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const what = code === 'ENOENT' ? 'There is no such file.' : message;
    throw dataError('BAD_DATA', `${path} cannot be read: ${what}`, error);
  }
}
