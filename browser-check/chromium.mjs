import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** The file of a Chromium: what HOOKLINE_CHROMIUM says, or the first on the PATH. */
export function findChromium() {
  const given = process.env.HOOKLINE_CHROMIUM;
  const folders = process.env.PATH?.split(delimiter) ?? [];
  const candidates = given ? [given] : names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = candidates.find((file) => existsSync(file));
  if (found) return found;
  throw new Error(
    given
      ? `HOOKLINE_CHROMIUM is ${given}, where there is no file.`
      : `there is no Chromium on the PATH (${names.join(', ')}). Install one (Debian: apt-get install chromium), ` +
          'or say where it is in HOOKLINE_CHROMIUM.',
  );
}

/**
 * Opens a page without a window until `done` is settled. A browser that ends or says nothing in time is an error, with
 * the last it printed.
 * @template Result
 * @param {string} chromium
 * @param {string} url
 * @param {Promise<Result>} done
 * @returns {Promise<Result>}
 */
export async function openUntil(chromium, url, done) {
  const profile = mkdtempSync(join(tmpdir(), 'hookline-chromium-'));
  const browser = spawn(chromium, [...flags(profile), url], { stdio: ['ignore', 'ignore', 'pipe'] });
  let printed = '';
  browser.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
    printed = (printed + text).slice(-5000);
  });
  const closed = new Promise((resolve) => browser.once('close', resolve));
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  try {
    return await Promise.race([
      done,
      new Promise((_, reject) => {
        const fail = (/** @type {string} */ why) => reject(new Error(`${chromium} ${why}\n${printed}`));
        browser.once('error', (error) => fail(`could not be started: ${error.message}`));
        browser.once('close', (code) => fail(`ended by itself with exit code ${code}`));
        timer = setTimeout(() => fail(`opened ${url}, which said nothing for two minutes`), 120_000);
      }),
    ]);
  } finally {
    clearTimeout(timer);
    if (browser.pid !== undefined) {
      browser.kill();
      await closed;
    }
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @param {string} profile */
export function flags(profile) {
  return [
    '--headless',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-quic',
    '--no-first-run',
    '--enable-logging=stderr',
    `--user-data-dir=${profile}`,
    // Chromium refuses its sandbox to root. The page is our own.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
}
