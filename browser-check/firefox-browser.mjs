import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import WebSocket from 'ws';

const names = ['firefox-esr', 'firefox'];

/** No start page, no updates, no reports: nothing that would need a network. */
const quiet = {
  'app.update.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.page': 0,
  // After a kill it would ask whether it should open its last pages.
  'browser.sessionstore.resume_from_crash': false,
  'toolkit.startup.max_resumed_crashes': -1,
  'datareporting.policy.dataSubmissionEnabled': false,
  'datareporting.healthreport.uploadEnabled': false,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
};

/** The file of a Firefox, or undefined: what HOOKLINE_FIREFOX says, or the first on the PATH. */
export function findFirefox() {
  const given = process.env.HOOKLINE_FIREFOX;
  const folders = process.env.PATH?.split(delimiter) ?? [];
  const candidates = given ? [given] : names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find((file) => existsSync(file));
}

/** Firefox without a window, driven through WebDriver BiDi, which it speaks by itself. */
export class Firefox {
  #process;
  #socket;
  #next = 0;
  /** @type {Map<number, { resolve(result: any): void, reject(error: Error): void }>} */
  #waiting = new Map();

  /**
   * @param {import('node:child_process').ChildProcess} started
   * @param {WebSocket} socket
   */
  constructor(started, socket) {
    this.#process = started;
    this.#socket = socket;
    socket.on('message', (data) => {
      const { id, type, result, error, message } = JSON.parse(String(data));
      const { resolve, reject } = this.#waiting.get(id) ?? {};
      this.#waiting.delete(id);
      if (type === 'error') reject?.(new Error(`${error}: ${message}`));
      else resolve?.(result);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('Firefox has ended'));
    });
  }

  /**
   * @param {string} file
   * @param {string} profile What it stores stays there.
   * @param {Record<string, boolean | number | string>} [preferences]
   */
  static async start(file, profile, preferences = {}) {
    mkdirSync(profile, { recursive: true });
    const lines = Object.entries({ ...quiet, ...preferences }).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
    );
    writeFileSync(join(profile, 'user.js'), lines.join('\n'));
    const flags = [
      '-headless',
      '-no-remote',
      '-profile',
      profile,
      '--remote-debugging-port=0',
      'about:blank',
    ];
    // A group of its own: a kill has to reach all of its processes.
    const started = spawn(file, flags, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    try {
      const socket = new WebSocket(`${await address(started)}/session`, { perMessageDeflate: false });
      await once(socket, 'open');
      const firefox = new Firefox(started, socket);
      await firefox.send('session.new', { capabilities: {} });
      return firefox;
    } catch (error) {
      await killGroup(started);
      throw error;
    }
  }

  /**
   * @param {string} method
   * @param {object} params
   * @returns {Promise<any>}
   */
  send(method, params) {
    return new Promise((resolve, reject) => {
      const id = ++this.#next;
      const timer = setTimeout(() => reject(new Error(`${method} was not answered in two minutes`)), 120_000);
      const settle = (/** @type {(value: any) => void} */ done) => (/** @type {any} */ value) => {
        clearTimeout(timer);
        done(value);
      };
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /**
   * Opens a page. The function gives what an expression in it becomes when it is settled.
   * @param {string} url
   * @returns {Promise<(expression: string) => Promise<any>>}
   */
  async open(url) {
    const { context } = await this.send('browsingContext.create', { type: 'tab' });
    await this.send('browsingContext.navigate', { context, url, wait: 'complete' });
    return async (expression) => {
      const { type, result, exceptionDetails } = await this.send('script.evaluate', {
        expression: `(async () => JSON.stringify(await (${expression})))()`,
        target: { context },
        awaitPromise: true,
      });
      if (type === 'exception') throw new Error(`in the page: ${exceptionDetails.text}`);
      return result.type === 'string' ? JSON.parse(result.value) : undefined;
    };
  }

  /** SIGKILL for the browser and everything that it has started. */
  async kill() {
    this.#socket.terminate();
    await killGroup(this.#process);
  }
}

/**
 * Where it listens, as it says on its standard error.
 * @param {import('node:child_process').ChildProcess} started
 * @returns {Promise<string>}
 */
function address(started) {
  return new Promise((resolve, reject) => {
    let printed = '';
    const fail = (/** @type {string} */ why) => {
      clearTimeout(timer);
      reject(new Error(`${why} ${printed.slice(-300)}`.trim()));
    };
    const timer = setTimeout(() => fail('it did not listen within a minute.'), 60_000);
    started.once('error', ({ message }) => fail(`it could not be started: ${message}.`));
    started.once('exit', (code, signal) => fail(`it ended with ${signal ?? `exit code ${code}`}.`));
    started.stderr?.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      printed = (printed + text).slice(-5000);
      const found = /WebDriver BiDi listening on (ws:\S+)/.exec(printed)?.[1];
      if (!found) return;
      clearTimeout(timer);
      resolve(found);
    });
  });
}

/** @param {import('node:child_process').ChildProcess} started */
async function killGroup(started) {
  if (started.pid === undefined) return;
  const ended = started.exitCode !== null || started.signalCode !== null;
  const closed = ended ? undefined : once(started, 'exit');
  try {
    process.kill(-started.pid, 'SIGKILL');
  } catch {
    // The whole group has ended.
  }
  await closed;
}
