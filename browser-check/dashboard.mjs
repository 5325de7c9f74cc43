// node browser-check/dashboard.mjs: the page of a run in Chromium shows its curve, and stops it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dashboard } from '@hookline/hook-dashboard';
import { jsonLog } from '@hookline/hook-logging';
import { Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { findChromium } from './chromium.mjs';
import { withBrowser } from './debugged-page.mjs';

const runsDir = mkdtempSync(join(tmpdir(), 'hookline-dashboard-'));
const hostile = '<script>document.title = "broken"</script>';
/** @type {(url: string) => void} */
let announce = () => {};
/** @type {Promise<string>} */
const address = new Promise((resolve) => {
  announce = resolve;
});
const ignore = () => {};
/** @type {import('@hookline/hook-api').HookLogger} */
const logger = {
  ...{ debug: ignore, warn: ignore, error: ignore, child: () => logger },
  info: (/** @type {string | object} */ first, /** @type {string} */ message = String(first)) => {
    const [url] = /http:\S+/.exec(message) ?? [];
    if (url) announce(url);
  },
};

try {
  const chromium = findChromium();
  const xs = tf.reshape(tf.linspace(-1, 1, 64), [64, 1]);
  const trainer = new Trainer({
    model: () => sequential({ layers: [layers.dense({ inputShape: [1], units: 1 })] }),
    loss: 'meanSquaredError',
    hooks: [
      {
        name: hostile,
        // Slow enough to be watched.
        onEpochEnd: async (ctx) => {
          ctx.log({ [`x/${hostile}`]: ctx.state.epoch });
          await new Promise((resolve) => setTimeout(resolve, 20));
        },
      },
      dashboard(),
      jsonLog({ every: 1 }),
    ],
    ...{ discover: false, backend: 'cpu', seed: 1, runsDir, logger },
  });
  const data = { xs, ys: tf.square(xs) };
  const fit = trainer.fit({ train: data, validation: data, epochs: 100_000, batchSize: 16 });
  await withBrowser(chromium, async (open) => {
    const url = await address;
    const points = `Number([...document.querySelectorAll('figure')].find((each) => each.innerText.startsWith('loss'))?.dataset.points ?? 0)`;
    const page = await open(url);
    await page.until(`${points} > 10`);
    const before = await page.value(points);
    await page.until(`${points} > ${before + 10}`);
    assert.equal(await page.value(`document.title`), 'Hookline', 'a name ran as a script');
    assert.ok(await page.value(`document.body.innerText.includes(${JSON.stringify(hostile)})`));
    const late = await open(url);
    await late.until(`${points} > ${before + 10}`);
    await late.until(`!document.querySelector('.verbs').hidden`);
    // The arrow keys read a value out.
    await late.value(
      `document.querySelector('figure').dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', bubbles: true }))`,
    );
    assert.match(await late.value(`document.getElementById('reader').textContent`), /step \d+: .*loss \d/);
    await late.value(`(window.confirm = () => true, document.querySelector('[data-verb=stop]').click())`);
    const { status, stopReason } = await fit;
    assert.deepEqual([status, stopReason], ['stopped', 'stopped from the dashboard']);
    for (const each of [page, late]) {
      await each.until(`document.getElementById('states').innerText.includes('stopped from the dashboard')`);
    }
    console.log(
      `dashboard: the curve grew from ${before} points, a late page had all, and its stop ended the run`,
    );
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(runsDir, { recursive: true, force: true });
}
