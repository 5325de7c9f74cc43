import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';

const types = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const tfjs = dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm'));

/**
 * @typedef {object} Place
 * @property {string} folder Where page.js is, with all it loads.
 * @property {string} model Where the exported model is.
 * @property {boolean} worker Whether it runs in a worker instead of the page.
 * @property {boolean} isolated Whether the browser is told to allow threads.
 */

/**
 * @typedef {object} Answer
 * @property {import('./src/found.ts').Found} found
 * @property {Uint8Array} file The safetensors file that it wrote.
 */

/**
 * Serves one page while `use` runs, which gets its address and what the page will answer.
 * @template Result
 * @param {Place} place
 * @param {(url: string, answer: Promise<Answer>) => Promise<Result>} use
 * @returns {Promise<Result>}
 */
export async function withPage(place, use) {
  const server = createServer();
  const answer = answerTo(server, place);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  try {
    return await use(`http://localhost:${port}/`, answer);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/**
 * @param {import('node:http').Server} server
 * @param {Place} place
 * @returns {Promise<Answer>}
 */
function answerTo(server, place) {
  /** @type {Uint8Array} */
  let file = new Uint8Array();
  return new Promise((resolve, reject) => {
    server.on('request', async (request, response) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname;
      if (request.method !== 'POST') return respond(path, place, response);
      const body = await buffer(request);
      response.end();
      if (path === '/file') file = body;
      else if (path === '/found') resolve({ found: JSON.parse(body.toString()), file });
      else reject(new Error(`in the browser: ${body}`));
    });
  });
}

/**
 * @param {string} path
 * @param {Place} place
 * @param {import('node:http').ServerResponse} response
 */
async function respond(path, { folder, model, worker, isolated }, response) {
  if (isolated) {
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
  }
  const script = worker ? "new Worker('/start.js', { type: 'module' });" : start;
  if (path === '/') {
    response.setHeader('Content-Type', 'text/html');
    return response.end(`<!doctype html><title>check</title><script type="module">${script}</script>`);
  }
  const extension = /** @type {keyof typeof types} */ (extname(path));
  response.setHeader('Content-Type', types[extension] ?? 'text/plain');
  if (path === '/start.js') return response.end(start);
  try {
    const places = { tfjs, model };
    const place = places[/** @type {keyof typeof places} */ (path.split('/')[1])];
    response.end(await readFile(place ? join(place, basename(path)) : join(folder, path)));
  } catch {
    response.writeHead(404).end();
  }
}

// What goes wrong before the first line of the bundle must be heard of, too.
const start = `import('/page.js').catch((error) =>
  fetch('/failed', { method: 'POST', body: error.stack ?? String(error) }));`;
