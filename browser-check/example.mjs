// node browser-check/example.mjs [folder]: examples/browser in Chromium, as a person would use it. Pictures go to the folder.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { findChromium } from './chromium.mjs';
import { withBrowser } from './debugged-page.mjs';
import { withFolder } from './static-server.mjs';

/** @typedef {Awaited<ReturnType<Parameters<Parameters<typeof withBrowser>[1]>[0]>>} Page */

const example = fileURLToPath(new URL('../examples/browser', import.meta.url));
const [pictures] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'hookline-example-'));
const [site, profile] = [join(folder, 'site'), join(folder, 'profile')];

const step = `Number(/step (\\d+)/.exec(document.getElementById('status').innerText)?.[1] ?? 0)`;
const status = `document.getElementById('status').innerText`;
const epochs = `Number(/over (\\d+) epochs/.exec(document.querySelector('svg')?.ariaLabel)?.[1] ?? 0)`;

try {
  const chromium = findChromium();
  await build({ root: example, logLevel: 'error', build: { outDir: site } });
  await withFolder(site, async (url) => {
    let before = 0;
    // A browser that is ended in the middle of training ...
    await withBrowser(
      chromium,
      async (open) => {
        const page = await open(url);
        await page.until(`document.getElementById('train').disabled === false`);
        await page.value(`document.getElementById('train').click()`);
        await page.until(`${step} > 150 && ${epochs} > 2`);
        before = await page.value(epochs);
        await picture(page, 'training');
      },
      { kept: profile },
    );
    await withBrowser(
      chromium,
      async (open) => {
        // ... goes on when it is opened again, with the curve as it was ...
        const page = await open(url);
        await page.until(`${step} > 0`);
        const first = await page.value(step);
        assert.ok(first > 100, `it began again: ${await page.value(status)}`);
        assert.ok((await page.value(epochs)) >= before - 1, 'the curve has lost epochs');
        await page.until(`${epochs} > ${before + 2}`);
        // ... and so does a tab.
        await page.close();
        const again = await open(url);
        await again.until(`${step} > ${first}`);
        await again.until(`document.getElementById('train').disabled === false`, 240);
        assert.match(
          await again.value(status),
          /^(Done|Stopped \(early-stopping.*\)): validation accuracy 9\d\.\d %/,
        );
        console.log(
          `example: killed after ${before} epochs, continued at step ${first}; ${await again.value(status)}`,
        );
        for (const by of /** @type {const} */ (['mouse', 'finger'])) {
          await again.value(`document.getElementById('clear').click()`);
          await again.until(`document.querySelector('#guess .most') === null`);
          await drawOne(again, by);
          await again.until(`document.querySelector('#guess .most')?.innerText === '1'`);
        }
        await picture(again, 'trained');
        const file = await download(again);
        const printed = inNode(file);
        assert.match(printed, /^2[45]\d of 257 digits/, printed);
        console.log(`example: it knows a 1 that a mouse or a finger draws; the download in Node: ${printed}`);
      },
      { kept: profile },
    );
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  // The last processes of the browser may still write.
  rmSync(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 200 });
}

/**
 * Draws a stroke from the top to the bottom.
 * @param {Page} page
 * @param {'mouse' | 'finger'} by
 */
async function drawOne(page, by) {
  await page.value(`document.getElementById('pad').scrollIntoView({ block: 'center' })`);
  const box = await page.value(`document.getElementById('pad').getBoundingClientRect().toJSON()`);
  const places = Array.from({ length: 13 }, (_, i) => ({
    x: box.x + box.width / 2,
    y: box.y + box.height * (0.15 + (0.7 * i) / 12),
  }));
  const mouse = { button: 'left', buttons: 1, clickCount: 1 };
  for (const [index, place] of places.entries()) {
    if (by === 'mouse') {
      const type = index === 0 ? 'mousePressed' : 'mouseMoved';
      await page.call('Input.dispatchMouseEvent', { type, ...place, ...mouse });
    } else {
      const type = index === 0 ? 'touchStart' : 'touchMove';
      await page.call('Input.dispatchTouchEvent', { type, touchPoints: [place] });
    }
  }
  if (by === 'mouse') {
    await page.call('Input.dispatchMouseEvent', { type: 'mouseReleased', ...places.at(-1), ...mouse });
  } else await page.call('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

/** @param {Page} page */
async function download(page) {
  const downloads = join(folder, 'downloads');
  mkdirSync(downloads);
  await page.call('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads });
  await page.value(`document.getElementById('download').click()`);
  const file = join(downloads, 'digits.safetensors');
  for (const end = Date.now() + 60_000; !existsSync(file); ) {
    if (Date.now() > end) throw new Error('the model was not downloaded within a minute');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return file;
}

/** @param {string} file */
function inNode(file) {
  const program = ['--import', 'tsx', join('src', 'use-model.ts'), file];
  const { status, stdout, stderr } = spawnSync(process.execPath, program, { cwd: example, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the downloaded model failed in Node: ${stderr}`);
  return String(stdout.trim().split('\n').at(-1));
}

/**
 * @param {Page} page
 * @param {string} name
 */
async function picture(page, name) {
  if (pictures === undefined) return;
  const size = { width: 1100, height: 820, deviceScaleFactor: 1, mobile: false };
  await page.call('Emulation.setDeviceMetricsOverride', size);
  const { data } = await page.call('Page.captureScreenshot', {});
  writeFileSync(join(pictures, `${name}.png`), Buffer.from(data, 'base64'));
}
