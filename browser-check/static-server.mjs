import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';

const types = {
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
  '.html': 'text/html',
  '.css': 'text/css',
};
const tfjs = dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm'));

/**
 * Serves a folder, and the modules of the wasm backend as /tfjs/, while `use` runs.
 * @param {string} folder
 * @param {(url: string) => Promise<void>} use
 */
export async function withFolder(folder, use) {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const file = path.startsWith('/tfjs/')
      ? join(tfjs, basename(path))
      : join(folder, path === '/' ? 'index.html' : path);
    try {
      const content = await readFile(file);
      response.setHeader(
        'Content-Type',
        types[/** @type {keyof typeof types} */ (extname(file))] ?? 'application/octet-stream',
      );
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  try {
    await use(`http://localhost:${port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
