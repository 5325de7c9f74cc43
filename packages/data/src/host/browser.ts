// How files of data are read in a browser: fetched from the site. In Node `#host` is node.ts.
import { dataError } from '../errors.js';

/** The address that `csv()` was given. */
export function csvPath(file: string | URL): string {
  const text = String(file);
  if (text !== '') return text;
  throw dataError(
    'BAD_OPTIONS',
    `csv() was given "", expected the address of a file: csv('/data.csv', { labels: 'price' }).`,
  );
}

/** The bytes of a file, in pieces; unpacked when its name ends in `.gz` and the server did not say so. */
export async function* readBytes(path: string): AsyncGenerator<Uint8Array, void> {
  const refuse = (what: string, cause?: unknown) =>
    dataError('BAD_DATA', `${path} cannot be fetched: ${what}`, cause);
  const response = await fetch(path).catch((error) => {
    throw refuse(error.message, error);
  });
  if (!response.ok || !response.body) throw refuse(`the server answered ${response.status}.`);
  const isPacked = /\.gz$/.test(new URL(response.url).pathname) && !response.headers.get('content-encoding');
  const stream = isPacked ? response.body.pipeThrough(new DecompressionStream('gzip')) : response.body;
  const reader = (stream as ReadableStream<Uint8Array>).getReader();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
  } catch (error) {
    throw refuse((error as Error).message, error);
  } finally {
    await reader.cancel().catch(() => {});
  }
}
