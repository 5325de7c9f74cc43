import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flags } from './chromium.mjs';

/**
 * Opens a page in Chromium and runs expressions in it, through the debugging protocol on two pipes: no package needed.
 * @param {string} chromium
 * @param {(open: (url: string, contextId?: string) => Promise<DebuggedPage>, send: Send) => Promise<void>} use
 * @param {object} [options]
 * @param {string} [options.kept] A folder for what pages store; without it, what they have stored is removed in the end.
 * @param {string[]} [options.switches] Of Chromium, beside those of every check.
 */
export async function withBrowser(chromium, use, { kept, switches = [] } = {}) {
  const profile = kept ?? mkdtempSync(join(tmpdir(), 'hookline-chromium-'));
  const browser = spawn(
    chromium,
    [...flags(profile), ...switches, '--remote-debugging-pipe', 'about:blank'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    },
  );
  const closed = new Promise((resolve) => browser.once('close', resolve));
  const [toBrowser, fromBrowser] = [browser.stdio[3], browser.stdio[4]];
  /** @type {Map<number, { resolve(result: any): void, reject(error: Error): void }>} */
  const waiting = new Map();
  let received = '';
  fromBrowser?.on('data', (data) => {
    received += data;
    const messages = received.split('\0');
    received = String(messages.pop());
    for (const text of messages) {
      const { id, result, error } = JSON.parse(text);
      const { resolve, reject } = waiting.get(id) ?? {};
      if (error) reject?.(new Error(error.message));
      else resolve?.(result);
    }
  });
  let next = 0;
  /** @type {Send} */
  const send = (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      const id = ++next;
      // A page that was killed answers nothing.
      const timer = setTimeout(() => reject(new Error(`${method} was not answered in two minutes`)), 120_000);
      const settle = (/** @type {(value: any) => void} */ done) => (/** @type {any} */ value) => {
        clearTimeout(timer);
        done(value);
      };
      waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      /** @type {import('node:stream').Writable} */ (toBrowser).write(
        `${JSON.stringify({ id, method, params, sessionId })}\0`,
      );
    });
  try {
    await use(async (url, browserContextId) => {
      const { targetId } = await send('Target.createTarget', { url, browserContextId });
      const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
      return new DebuggedPage(send, sessionId, targetId);
    }, send);
  } finally {
    browser.kill();
    await closed;
    if (kept === undefined) removeProfile(profile);
  }
}

/**
 * The helpers of a browser may write a little longer than it lives. What they leave is in a folder for such things, and
 * must not hide what went wrong before.
 * @param {string} profile
 */
function removeProfile(profile) {
  try {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  } catch {}
}

/** @typedef {(method: string, params?: object, sessionId?: string) => Promise<any>} Send */

class DebuggedPage {
  #send;
  #session;

  /**
   * @param {Send} send
   * @param {string} session
   * @param {string} target
   */
  constructor(send, session, target) {
    this.#send = send;
    this.#session = session;
    this.target = target;
  }

  /**
   * What the promise of an expression in the page becomes; throws what it throws.
   * @param {string} expression
   */
  async settled(expression) {
    const { result, exceptionDetails } = await this.#send(
      'Runtime.evaluate',
      { expression, returnByValue: true, awaitPromise: true },
      this.#session,
    );
    if (!exceptionDetails) return result.value;
    throw new Error(`in the page: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
  }

  /**
   * @param {string} method
   * @param {object} [params]
   */
  call(method, params) {
    return this.#send(method, params, this.#session);
  }

  /** Bytes of the heap that are in use, after garbage was collected. */
  async usedHeap() {
    await this.call('HeapProfiler.collectGarbage');
    return /** @type {number} */ ((await this.call('Runtime.getHeapUsage')).usedSize);
  }

  /** Ends the page as its user does. */
  async close() {
    await this.#send('Target.closeTarget', { targetId: this.target });
  }

  /**
   * The value of an expression in the page.
   * @param {string} expression
   */
  async value(expression) {
    const { result } = await this.#send(
      'Runtime.evaluate',
      { expression, returnByValue: true },
      this.#session,
    );
    return result.value;
  }

  /**
   * Waits until an expression is true in the page, for at most a minute.
   * @param {string} expression
   * @param {number} [seconds]
   */
  async until(expression, seconds = 60) {
    const end = Date.now() + 1000 * seconds;
    while (!(await this.value(expression))) {
      if (Date.now() > end) {
        const text = await this.value('document.body.innerText');
        throw new Error(`the page never had ${expression}. It shows: ${text}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
