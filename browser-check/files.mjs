// node browser-check/files.mjs: the files of @hookline/host in real browsers, with and without a file system of their own.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { findChromium } from './chromium.mjs';
import { withBrowser } from './debugged-page.mjs';
import { Firefox, findFirefox } from './firefox-browser.mjs';
import { withFolder } from './static-server.mjs';

/** @typedef {(expression: string) => Promise<any>} Evaluate The value of an expression in a page. */

/** Before the page asks for it: a browser that has no origin private file system. */
const withoutOpfs = `navigator.storage.getDirectory = () => Promise.reject(new DOMException('not here', 'SecurityError'));`;

const folder = mkdtempSync(join(tmpdir(), 'hookline-files-'));
try {
  await build({
    entryPoints: [fileURLToPath(new URL('src/files-page.ts', import.meta.url))],
    outdir: folder,
    ...{ bundle: true, format: 'iife', target: 'es2022', logLevel: 'error' },
  });
  // A classic script: a frame without an origin may not load modules of this site.
  const page = (/** @type {string} */ before) =>
    `<!doctype html><title>check</title><body><script>${before}</script><script src="/files-page.js"></script>`;
  writeFileSync(join(folder, 'index.html'), page(''));
  writeFileSync(join(folder, 'without.html'), page(withoutOpfs));
  await withFolder(folder, async (url) => {
    await withBrowser(findChromium(), async (open) => {
      await check('chromium', async (path) => {
        const opened = await open(url + path);
        await opened.until('typeof files === "object"');
        return (expression) => opened.settled(expression);
      });
    });
    const file = findFirefox();
    if (file === undefined)
      console.log('firefox: there is none on the PATH; Debian: apt-get install firefox-esr');
    else await inFirefox(file, url);
  });
} catch (error) {
  console.error(error instanceof Error ? error.stack : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 200 });
}

/**
 * @param {string} file
 * @param {string} url
 */
async function inFirefox(file, url) {
  const firefox = await Firefox.start(file, join(folder, 'profile'));
  try {
    await check('firefox', async (path) => {
      const evaluate = await firefox.open(url + path);
      while (!(await evaluate('typeof files === "object"')))
        await new Promise((resolve) => setTimeout(resolve, 50));
      return evaluate;
    });
  } finally {
    await firefox.kill();
  }
}

/**
 * @param {string} browser
 * @param {(path: string) => Promise<Evaluate>} open
 */
async function check(browser, open) {
  const first = await open('');
  const { cases, failed } = await first('files.runCases()');
  assert.deepEqual(failed, [], `${browser}, with its file system`);
  assert.equal(await first('files.contentsInOpfs()'), 0, `${browser}: contents of removed files are left`);
  await first(`files.host.writeFile('/large', new Uint8Array(100_000).fill(7))`);
  assert.equal(
    await first('files.contentsInOpfs()'),
    1,
    `${browser}: a large file is not in its file system`,
  );

  // Another tab sees it, and knows that the first one lives.
  const second = await open('');
  const mark = JSON.stringify(await first('files.host.thisProcess()'));
  assert.equal(await second(`files.host.readFile('/large').then((bytes) => bytes[99_999])`), 7);
  assert.equal(await second(`files.host.fateOf(${mark})`), 'alive', `${browser}: the first tab`);
  assert.equal(
    await second(`files.host.fateOf({ ...${mark}, pid: 1 })`),
    'dead',
    `${browser}: a tab that never was`,
  );

  const without = await open('without.html');
  assert.deepEqual((await without('files.runCases()')).failed, [], `${browser}, with its database alone`);

  const refused = await first('files.inSandbox()');
  assert.equal(
    refused.code,
    'EACCES',
    `${browser}, in a frame that may not store: ${JSON.stringify(refused)}`,
  );
  console.log(
    `${browser}: ${cases} cases of files as in Node, with OPFS and with IndexedDB alone; where nothing may be stored: ${refused.message}`,
  );
}
