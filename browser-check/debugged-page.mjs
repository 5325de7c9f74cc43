import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flags } from './chromium.mjs';

/**
 * Opens a page in Chromium and runs expressions in it, through the debugging protocol on two pipes: no package needed.
 * @param {string} chromium
 * @param {(open: (url: string) => Promise<DebuggedPage>) => Promise<void>} use
 */
export async function withBrowser(chromium, use) {
  const profile = mkdtempSync(join(tmpdir(), 'hookline-chromium-'));
  const browser = spawn(chromium, [...flags(profile), '--remote-debugging-pipe', 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
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
      waiting.set(id, { resolve, reject });
      /** @type {import('node:stream').Writable} */ (toBrowser).write(
        `${JSON.stringify({ id, method, params, sessionId })}\0`,
      );
    });
  try {
    await use(async (url) => {
      const { targetId } = await send('Target.createTarget', { url });
      const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
      return new DebuggedPage(send, sessionId);
    });
  } finally {
    browser.kill();
    await closed;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @typedef {(method: string, params?: object, sessionId?: string) => Promise<any>} Send */

class DebuggedPage {
  #send;
  #session;

  /**
   * @param {Send} send
   * @param {string} session
   */
  constructor(send, session) {
    this.#send = send;
    this.#session = session;
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
   */
  async until(expression) {
    const end = Date.now() + 60_000;
    while (!(await this.value(expression))) {
      if (Date.now() > end) {
        const text = await this.value('document.body.innerText');
        throw new Error(`the page never had ${expression}. It shows: ${text}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
