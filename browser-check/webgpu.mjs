// node browser-check/webgpu.mjs: trains on WebGPU in Chromium, with its software driver, and compares the losses with those of Node.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { findChromium } from './chromium.mjs';
import { withBrowser } from './debugged-page.mjs';
import { inNode } from './in-node.mjs';
import { ready, withSite } from './site.mjs';

/** Sums are rounded in another order, and Adam makes whole steps of gradients that are little more than that. */
const TOLERANCE = 1e-3;
const switches = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];

const folder = mkdtempSync(join(tmpdir(), 'hookline-webgpu-page-'));
try {
  await build({
    entryPoints: { 'trainer-page': fileURLToPath(new URL('src/webgpu-page.ts', import.meta.url)) },
    outdir: folder,
    ...{ bundle: true, minify: true, splitting: true, format: 'esm', target: 'es2022', logLevel: 'error' },
  });
  const expected = inNode('trained-in-node.ts');
  await withSite(folder, '', (url) =>
    withBrowser(findChromium(), (open) => trainsAsInNode(open, url, expected), { switches }),
  );
} catch (error) {
  console.error(error instanceof Error ? error.stack : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * @param {Parameters<typeof ready>[0]} open
 * @param {string} url
 * @param {Record<string, { losses: number[] }>} expected
 */
async function trainsAsInNode(open, url, expected) {
  const page = await ready(open, url);
  // A page that imports it wants it: there is nothing to install by accident.
  const { name: taken, reason } = await page.settled('check.select()');
  assert.equal(taken, 'webgpu', reason);
  assert.match(reason, /not the same to the bit/);
  let largest = 0;
  for (const name of Object.keys(expected)) {
    const { losses } = await page.settled(`check.train('${name}', { backend: 'webgpu' })`);
    const differences = losses.map((/** @type {number} */ loss, /** @type {number} */ epoch) =>
      Math.abs(loss - Number(expected[name]?.losses[epoch])),
    );
    largest = Math.max(largest, ...differences);
    assert.ok(Math.max(...differences) < TOLERANCE, `${name}: ${losses}, in Node ${expected[name]?.losses}`);
  }
  const { good, problems } = await page.settled('check.torn()');
  assert.deepEqual(problems, []);
  console.log(
    `webgpu: ${Object.keys(expected).join(', ')} with every hook on, losses at most ${largest.toExponential(1)} from Node's on wasm; ${good} checkpoints verified`,
  );
}
