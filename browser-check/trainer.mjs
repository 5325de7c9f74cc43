// node browser-check/trainer.mjs [kills]: trains with the trainer, its hooks and checkpoints in Chromium, and compares with Node.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packFolder, unpackFolder } from '@hookline/host';
import { verifyFolder } from '@hookline/safetensors/node';
import { sizeOfTrainer, trainerPages } from './bundle-trainer.mjs';
import { findChromium } from './chromium.mjs';
import { withBrowser } from './debugged-page.mjs';
import { inNode } from './in-node.mjs';
import { ready, withSite } from './site.mjs';

/** @typedef {Parameters<Parameters<typeof withBrowser>[1]>[0]} Open */
/** @typedef {Parameters<Parameters<typeof withBrowser>[1]>[1]} Send */
/** @typedef {{ losses: number[], weights: string, status: string, steps: number }} Outcome */

/** In bytes, minified and packed, without tfjs: of trainer and hook-api alone, and with what they need but wasm kernels. */
const budgets = { own: 60_000, all: 110_000 };
const names = /** @type {const} */ (['MLP', 'CNN', 'LSTM', 'custom']);
const kills = Number(process.argv[2] ?? 20);
/** Epochs of the run that is killed, and how slow its batches are. */
const killed = { epochs: 10, slow: 8 };

/** Before any module runs: a browser that has no origin private file system for this page. */
const withoutOpfs = `<script>navigator.storage.getDirectory = () => {
  globalThis.refused = (globalThis.refused ?? 0) + 1;
  return Promise.reject(new DOMException('not here', 'SecurityError'));
};</script>`;

const folder = mkdtempSync(join(tmpdir(), 'hookline-trainer-page-'));
try {
  const chromium = findChromium();
  const size = await sizeOfTrainer();
  for (const [what, bytes] of Object.entries(size)) {
    const most = budgets[/** @type {keyof typeof budgets} */ (what)];
    assert.ok(bytes <= most, `${what}: ${bytes} bytes, more than the budget of ${most}`);
  }
  console.log(
    `size, minified and packed: ${size.own} bytes of trainer and hook-api, ${size.all} with what they need`,
  );
  const expected = inNode('trained-in-node.ts');
  for (const [name, make] of Object.entries(trainerPages)) {
    const place = join(folder, name.replace(' ', '-'));
    const head = await make(place);
    await withSite(place, head, (url) =>
      withBrowser(chromium, (open) => sameBits(open, url, name, expected)),
    );
  }
  await withSite(join(folder, 'esbuild'), '', (url) =>
    withBrowser(chromium, async (open, send) => {
      await movesToNode(open, url);
      await survivesKills(open, send, url);
      await keepsMemory(open, url);
      await namesBackends(open, url);
      await worksInPrivate(open, send, url, expected);
      await namesFullQuota(open, url);
    }),
  );
  await withSite(join(folder, 'esbuild'), withoutOpfs, (url) =>
    withBrowser(chromium, (open, send) => resumesWithoutOpfs(open, send, url)),
  );
} catch (error) {
  console.error(error instanceof Error ? error.stack : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * @param {Open} open
 * @param {string} url
 * @param {string} bundler
 * @param {Record<string, Outcome>} expected
 */
async function sameBits(open, url, bundler, expected) {
  const page = await ready(open, url);
  // An import map shows that it loads; the bits do not depend on how it was loaded.
  for (const name of bundler === 'esbuild' ? names : /** @type {const} */ (['MLP'])) {
    const found = await page.settled(`check.train('${name}')`);
    assert.deepEqual(found, expected[name], `${name} in the browser and in Node`);
  }
  const { files, log, record } = await page.settled('check.latestRun()');
  assert.deepEqual(files, ['checkpoints', 'confusion.json', 'log.jsonl', 'report.html', 'run.json']);
  assert.ok(log > 5000, `log.jsonl has ${log} bytes`);
  assert.equal(record.status, 'completed');
  console.log(`${bundler}: the bits of Node, with every hook on; ${files.join(', ')} are in the storage`);
}

/**
 * A run of the browser is opened and continued in Node, and one of Node in the browser.
 * @param {Open} open
 * @param {string} url
 */
async function movesToNode(open, url) {
  const page = await ready(open, url);
  await page.settled(`check.train('MLP', { epochs: 2, runsDir: '/moving' })`);
  const zip = Buffer.from(await page.settled(`check.pack('/moving')`), 'base64');
  const runs = join(folder, 'from-browser');
  await unpackFolder(zip, runs);
  const [run] = readdirSync(runs);
  const checkpoints = join(runs, String(run), 'checkpoints');
  for (const each of readdirSync(checkpoints, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )) {
    assert.ok((await verifyFolder(join(checkpoints, each.name))).ok, `${each.name} is damaged`);
  }
  const cli = fileURLToPath(import.meta.resolve('@hookline/trainer')).replace(/index\.js$/, 'cli.js');
  const inspected = execFileSync(process.execPath, [cli, 'inspect', join(runs, String(run))], {
    encoding: 'utf8',
  });
  assert.match(inspected, /last.*good/);
  const whole = inNode('trained-in-node.ts', join(folder, 'whole'), '4').MLP;
  assert.equal(
    inNode('trained-in-node.ts', runs, '4', 'auto').MLP?.weights,
    whole?.weights,
    'a run of the browser, continued in Node',
  );

  inNode('trained-in-node.ts', join(folder, 'from-node'), '2');
  const packed = Buffer.from(await packFolder(join(folder, 'from-node'))).toString('base64');
  await page.settled(`check.unpack('${packed}', '/from-node')`);
  const continued = await page.settled(`check.train('MLP', { runsDir: '/from-node', resume: 'auto' })`);
  assert.deepEqual(
    [continued.weights, continued.steps],
    [whole?.weights, 24],
    'a run of Node, continued here',
  );
  console.log(
    'a run moved from the browser to Node and back as a zip, and continued to the bit on both sides',
  );
}

/**
 * @param {Open} open
 * @param {Send} send
 * @param {string} url
 */
async function survivesKills(open, send, url) {
  const expected = inNode('trained-in-node.ts', join(folder, 'killed'), String(killed.epochs)).MLP;
  const settings = JSON.stringify({ ...killed, resume: 'auto', runsDir: '/runs' });
  let [done, finished, good] = [0, 0, 0];
  while (done < kills || finished === 0) {
    const page = await ready(open, url);
    await page.value(`check.start('MLP', ${settings})`);
    const wait = done < kills ? 200 + Math.random() * 1800 : 120_000;
    const outcome = await outcomeWithin(page, wait);
    if (outcome) {
      assert.equal(outcome.weights, expected?.weights, `after ${done} kills: ${JSON.stringify(outcome)}`);
      finished++;
      // The next one starts from scratch: what is complete is not continued.
      await page.settled(`check.clear('/runs')`);
      await page.close();
      continue;
    }
    await killRenderer(send, page.target);
    done++;
    const next = await ready(open, url);
    const { good: whole, problems } = await next.settled('check.torn()');
    assert.deepEqual(problems, [], `after kill ${done}`);
    good += whole;
    await next.close();
  }
  console.log(
    `${done} kills of the tab's process: ${finished} runs ended with the bits of one that was not killed; ${good} checkpoints looked at, none torn`,
  );
}

/**
 * @param {Awaited<ReturnType<Open>>} page
 * @param {number} milliseconds
 * @returns {Promise<Outcome | undefined>}
 */
async function outcomeWithin(page, milliseconds) {
  const end = Date.now() + milliseconds;
  while (Date.now() < end) {
    const outcome = await page.value('check.outcome');
    if (outcome?.error) throw new Error(outcome.error);
    if (outcome) return outcome;
    await pause(25);
  }
  return undefined;
}

/**
 * SIGKILL for every process that draws a page: the one that trains, and those that the browser keeps ready. Returns when
 * the browser has noticed: before that, it would give a new page to one of them.
 * @param {Send} send
 * @param {string} target
 */
async function killRenderer(send, target) {
  const killed = await renderers(send);
  assert.ok(killed.length > 0, 'no process draws the page');
  for (const pid of killed) process.kill(pid, 'SIGKILL');
  // Whether a page without a process answers depends on the browser.
  void send('Target.closeTarget', { targetId: target }).catch(() => {});
  while ((await renderers(send)).some((pid) => killed.includes(pid))) await pause(50);
  await pause(200);
}

/**
 * @param {Send} send
 * @returns {Promise<number[]>}
 */
async function renderers(send) {
  /** @type {{ processInfo: { type: string, id: number }[] }} */
  const { processInfo } = await send('SystemInfo.getProcessInfo');
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
}

/**
 * Training again and again leaves neither tensors nor memory behind. What the browser compiles on the way is kept: it is
 * some hundred kB for each of the first runs, and hardly anything after twenty.
 * @param {Open} open
 * @param {string} url
 */
async function keepsMemory(open, url) {
  const page = await ready(open, url);
  const sizes = [];
  for (let round = 0; round < 30; round++) {
    await page.settled(`check.train('MLP', { runsDir: '/memory' }).then(() => check.clear('/memory'))`);
    // What was logged is kept by the page of the check, not by the trainer.
    await page.value('check.lines.length = 0');
    sizes.push({ tensors: await page.value('check.tensors()'), bytes: await page.usedHeap() });
  }
  const first = /** @type {(typeof sizes)[number]} */ (sizes.at(-11));
  const last = /** @type {(typeof sizes)[number]} */ (sizes.at(-1));
  assert.equal(last.tensors, first.tensors, `tensors: ${sizes.map(({ tensors }) => tensors)}`);
  const growth = (last.bytes - first.bytes) / 10;
  assert.ok(
    growth < 40_000,
    `the heap grows by ${growth} bytes with each run: ${sizes.map(({ bytes }) => bytes)}`,
  );
  await page.close();
  console.log(
    `30 runs in one page: ${last.tensors} tensors after each, the heap grew by ${Math.round(growth / 1000)} kB in each of the last ten`,
  );
}

/**
 * @param {Open} open
 * @param {string} url
 */
async function namesBackends(open, url) {
  const page = await ready(open, url);
  const auto = await page.settled('check.select()');
  assert.equal(auto.name, 'wasm', auto.reason);
  assert.match(auto.reason, /webgpu is not imported/);
  const missing = await page.settled(`check.select('webgpu').then(() => '', (error) => error.message)`);
  assert.match(missing, /import '@tensorflow\/tfjs-backend-webgpu'/);
  const webgl = await page.settled(`check.select('webgl').catch((error) => ({ error: error.message }))`);
  if (webgl.error) console.log(`webgl does not work in this Chromium: ${webgl.error.split('\n')[0]}`);
  else {
    assert.match(webgl.reason, /not the same to the bit/);
    const { losses } = await page.settled(`check.train('MLP', { backend: 'webgl', runsDir: false })`);
    assert.ok(losses.at(-1) < losses[0], `it does not learn on webgl: ${losses}`);
    console.log(`webgl: ${webgl.reason}`);
  }
  await page.close();
}

/**
 * @param {Open} open
 * @param {Send} send
 * @param {string} url
 * @param {Record<string, Outcome>} expected
 */
async function worksInPrivate(open, send, url, expected) {
  const { browserContextId } = await send('Target.createBrowserContext');
  const page = await ready(open, url, browserContextId);
  assert.deepEqual(await page.settled(`check.train('MLP')`), expected.MLP, 'in a private window');
  await page.close();
  await send('Target.disposeBrowserContext', { browserContextId });
  console.log('a private window trains and keeps its files until it is closed');
}

/**
 * @param {Open} open
 * @param {string} url
 */
async function namesFullQuota(open, url) {
  const page = await ready(open, url);
  await page.call('Storage.overrideQuotaForOrigin', { origin: new URL(url).origin, quotaSize: 1 });
  await page.value(`check.start('MLP', { runsDir: '/full' })`);
  const end = Date.now() + 60_000;
  let outcome;
  while (!outcome && Date.now() < end) {
    outcome = await page.value('check.outcome');
    await pause(100);
  }
  const said = `${outcome?.error ?? ''} ${await page.value(`check.lines.join('')`)}`;
  assert.match(said, /ENOSPC: the storage that the browser gives this site is full/);
  await page.call('Storage.overrideQuotaForOrigin', { origin: new URL(url).origin });
  console.log(`a full quota: ${outcome?.error ?? outcome?.status}`);
}

/**
 * With everything in IndexedDB, a run that was killed is continued to the bit.
 * @param {Open} open
 * @param {Send} send
 * @param {string} url
 */
async function resumesWithoutOpfs(open, send, url) {
  const expected = inNode('trained-in-node.ts', join(folder, 'without-opfs'), String(killed.epochs)).MLP;
  const settings = JSON.stringify({ ...killed, resume: 'auto', runsDir: '/runs' });
  const first = await ready(open, url);
  await first.value(`check.start('MLP', ${JSON.stringify({ ...killed, slow: 50, runsDir: '/runs' })})`);
  await first.until(
    `check.torn().then(({ good }) => { globalThis.saved = good > 0; }, () => {}), globalThis.saved`,
  );
  assert.equal(await first.value('check.outcome'), undefined, 'the run ended before it was killed');
  await killRenderer(send, first.target);

  const second = await ready(open, url);
  const { good, problems } = await second.settled('check.torn()');
  assert.deepEqual(problems, [], 'after the kill, without OPFS');
  assert.ok(good > 0, 'no checkpoint was left');
  const outcome = await second.settled(`check.train('MLP', ${settings})`);
  assert.equal(await second.value('globalThis.refused'), 1, 'it did not ask for the file system');
  assert.equal(outcome.weights, expected?.weights, `without OPFS: ${JSON.stringify(outcome)}`);
  assert.ok(outcome.steps < Number(expected?.steps), 'it began from scratch');
  await second.close();
  console.log(
    `without OPFS: killed and continued to the bit from IndexedDB, ${outcome.steps} of ${expected?.steps} steps after the kill`,
  );
}

/** @param {number} milliseconds */
function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
