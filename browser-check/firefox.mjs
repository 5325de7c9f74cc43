// node browser-check/firefox.mjs [kills]: the training of trainer.mjs in Firefox, where there is one.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trainerPages } from './bundle-trainer.mjs';
import { Firefox, findFirefox } from './firefox-browser.mjs';
import { inNode } from './in-node.mjs';
import { withSite } from './site.mjs';

const names = ['MLP', 'CNN', 'LSTM', 'custom'];
const kills = Number(process.argv[2] ?? 3);
/** Epochs of the run that is killed, of twelve batches each, and how slow its batches are. */
const killed = { epochs: 10, slow: 25 };

const folder = mkdtempSync(join(tmpdir(), 'hookline-firefox-'));
try {
  const why = await reasonToSkip();
  if (why) console.log(`firefox: not available here (${why})`);
  else {
    const place = join(folder, 'site');
    await withSite(place, await trainerPages.esbuild(place), async (url) => {
      await sameBits(url);
      await survivesKills(url);
      await worksInPrivate(url);
      await namesFullQuota(url);
    });
  }
} catch (error) {
  console.error(error instanceof Error ? error.stack : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Undefined if there is a Firefox and it starts. */
async function reasonToSkip() {
  const file = findFirefox();
  if (!file) return 'there is none on the PATH; Debian: apt-get install firefox-esr';
  try {
    await (await start('first')).kill();
    return undefined;
  } catch (error) {
    return `${file}: ${error instanceof Error ? error.message : error}`;
  }
}

/** @param {string} url */
async function sameBits(url) {
  const expected = inNode('trained-in-node.ts');
  await withPage('bits', url, async (page) => {
    for (const name of names) {
      assert.deepEqual(
        await page(`check.train('${name}')`),
        expected[name],
        `${name} in Firefox and in Node`,
      );
    }
    const { files, record } = await page('check.latestRun()');
    assert.deepEqual(files, ['checkpoints', 'confusion.json', 'log.jsonl', 'report.html', 'run.json']);
    assert.equal(record.status, 'completed');
  });
  console.log(`firefox: the bits of Node for ${names.join(', ')}, with every hook on`);
}

/**
 * The whole browser is killed in the middle of a run, again and again, and started with the same profile.
 * @param {string} url
 */
async function survivesKills(url) {
  const expected = inNode('trained-in-node.ts', join(folder, 'node'), String(killed.epochs)).MLP;
  const settings = JSON.stringify({ ...killed, resume: 'auto' });
  let good = 0;
  for (let done = 0; done < kills; done++) {
    await withPage('killed', url, async (page) => {
      const before = await looked(page, done);
      good += before;
      await page(`check.start('MLP', ${settings})`);
      await until(page, done === 0 ? `check.torn().then(({ good }) => good > 0, () => false)` : 'true');
      await pause(100 + Math.random() * 900);
      assert.equal(await page('check.outcome'), undefined, 'the run ended before it was killed');
    });
  }
  await withPage('killed', url, async (page) => {
    good += await looked(page, kills);
    await page(`check.start('MLP', ${settings})`);
    await until(page, 'check.outcome !== undefined');
    const outcome = await page('check.outcome');
    assert.equal(outcome.weights, expected.weights, `after ${kills} kills: ${JSON.stringify(outcome)}`);
    assert.ok(outcome.steps < expected.steps, 'it began from scratch');
    console.log(
      `firefox: ${kills} kills of the browser, the last resume made ${outcome.steps} of ${expected.steps} steps and gave ` +
        `the bits of a run that was not killed; ${good} checkpoints looked at, none torn`,
    );
  });
}

/**
 * How many checkpoints there are, all of them whole.
 * @param {Page} page
 * @param {number} after
 */
async function looked(page, after) {
  if (after === 0) return 0;
  const { good, problems } = await page('check.torn()');
  assert.deepEqual(problems, [], `after kill ${after}`);
  assert.ok(good > 0, `no checkpoint was left after kill ${after}`);
  return good;
}

/** @param {string} url */
async function worksInPrivate(url) {
  const preferences = { 'browser.privatebrowsing.autostart': true };
  const expected = inNode('trained-in-node.ts', join(folder, 'private-node'), '4').MLP;
  await withPage(
    'private',
    url,
    async (page) => {
      assert.deepEqual(await page(`check.train('MLP')`), expected, 'in a private window');
      assert.deepEqual((await page('check.torn()')).problems, []);
    },
    preferences,
  );
  await withPage(
    'private',
    url,
    async (page) => {
      assert.equal(await page(`check.latestRun().then(() => 'kept', ({ code }) => code)`), 'ENOENT');
    },
    preferences,
  );
  console.log('firefox: a private window trains, and its files are gone after it is closed');
}

/** @param {string} url */
async function namesFullQuota(url) {
  await withPage(
    'full',
    url,
    async (page) => {
      await page(`check.start('MLP', {})`);
      await until(page, 'check.outcome !== undefined');
      const { error, status } = await page('check.outcome');
      const said = `${error ?? ''} ${await page(`check.lines.join('')`)}`;
      assert.match(said, /ENOSPC: the storage that the browser gives this site is full/);
      console.log(`firefox: a full quota: ${error ?? status}`);
    },
    { 'dom.quotaManager.temporaryStorage.fixedLimit': 256 },
  );
}

/** @typedef {Awaited<ReturnType<Firefox['open']>>} Page */

/**
 * A page of a browser that is killed in the end.
 * @param {string} profile
 * @param {string} url
 * @param {(page: Page) => Promise<void>} use
 * @param {Record<string, boolean | number>} [preferences]
 */
async function withPage(profile, url, use, preferences) {
  const firefox = await start(profile, preferences);
  try {
    const page = await firefox.open(url);
    await until(page, 'typeof check !== "undefined" || globalThis.failed !== undefined');
    const failed = await page('globalThis.failed');
    if (failed) throw new Error(`the page did not load: ${failed}`);
    await use(page);
  } finally {
    await firefox.kill();
  }
}

/**
 * @param {string} profile
 * @param {Record<string, boolean | number>} [preferences]
 */
function start(profile, preferences) {
  return Firefox.start(String(findFirefox()), join(folder, profile), preferences);
}

/**
 * @param {Page} page
 * @param {string} expression
 */
async function until(page, expression) {
  const end = Date.now() + 120_000;
  while (!(await page(expression))) {
    if (Date.now() > end) throw new Error(`the page never had ${expression}`);
    await pause(50);
  }
}

/** @param {number} milliseconds */
function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
