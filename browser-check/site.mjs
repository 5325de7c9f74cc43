import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const types = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.json': 'application/json' };
const tfjs = dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm'));
const packages = fileURLToPath(new URL('../packages', import.meta.url));

/**
 * Serves a folder with trainer-page.js in it, the .wasm files of tfjs, and the packages as they are built.
 * @template Result
 * @param {string} folder
 * @param {string} head What stands before the script, such as an import map.
 * @param {(url: string) => Promise<Result>} use
 * @returns {Promise<Result>}
 */
export async function withSite(folder, head, use) {
  const script = `import('/trainer-page.js').catch((error) => { globalThis.failed = error.stack ?? String(error); });`;
  const page = `<!doctype html><title>check</title>${head}<script type="module">${script}</script>`;
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (path === '/') return response.setHeader('Content-Type', 'text/html').end(page);
    response.setHeader(
      'Content-Type',
      types[/** @type {keyof typeof types} */ (extname(path))] ?? 'text/plain',
    );
    const [, first = '', ...rest] = path.split('/');
    const file =
      first === 'tfjs'
        ? join(tfjs, basename(path))
        : first === 'packages'
          ? join(packages, ...rest)
          : join(folder, path);
    try {
      response.end(await readFile(file));
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  try {
    return await use(`http://localhost:${port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/**
 * The page of a site, as soon as `check` is there.
 * @param {Parameters<Parameters<typeof import('./debugged-page.mjs').withBrowser>[1]>[0]} open
 * @param {string} url
 * @param {string} [contextId]
 */
export async function ready(open, url, contextId) {
  const page = await open(url, contextId);
  await page.until('typeof check !== "undefined" || globalThis.failed');
  const failed = await page.value('globalThis.failed');
  if (failed) throw new Error(`the page did not load: ${failed}`);
  return page;
}
