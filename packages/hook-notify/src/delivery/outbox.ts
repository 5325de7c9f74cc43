import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from './post.js';
import { retryDelay } from './retry-delay.js';

/** One message on its way. */
export interface Letter {
  readonly event: string;
  readonly body: string;
}

export interface OutboxOptions {
  retries: number;
  /** Makes one attempt; never throws. */
  send(body: string, signal: AbortSignal): Promise<Outcome>;
  /** Called for a letter that will not arrive. */
  onLost(letter: Letter, reason: string): void;
  /** Between two attempts. */
  wait?(ms: number, signal: AbortSignal): Promise<unknown>;
}

/** The most letters that wait; beyond that the oldest is dropped. */
const MOST_WAITING = 8;

/** Delivers letters one after the other in the background: whoever adds one does not wait for it. */
export class Outbox {
  readonly #waiting: Letter[] = [];
  readonly #abort = new AbortController();
  #work: Promise<void> | undefined;

  constructor(private readonly options: OutboxOptions) {}

  push(letter: Letter): void {
    if (this.#waiting.length === MOST_WAITING) {
      this.options.onLost(this.#waiting.shift()!, 'newer messages were waiting');
    }
    this.#waiting.push(letter);
    this.#work ??= this.#deliverAll();
  }

  /**
   * Sends what is waiting all at once, so that a receiver that hangs on one letter does not hold up the last one, and
   * returns after `timeoutMs` at the latest. What has not arrived by then is given up.
   */
  async close(timeoutMs: number): Promise<void> {
    const rest = this.#waiting.splice(0).map((letter) => this.#deliver(letter));
    const all = Promise.all([this.#work, ...rest]);
    const limit = new AbortController();
    // This timer keeps the process alive while the caller waits; nothing else here does.
    const timeUp = sleep(timeoutMs, undefined, { signal: limit.signal }).catch(() => {});
    await Promise.race([all, timeUp]);
    limit.abort();
    this.#abort.abort();
    await all;
  }

  async #deliverAll(): Promise<void> {
    for (let letter = this.#waiting.shift(); letter; letter = this.#waiting.shift()) {
      await this.#deliver(letter);
    }
    this.#work = undefined;
  }

  async #deliver(letter: Letter): Promise<void> {
    const { retries, send, onLost, wait = pause } = this.options;
    const { signal } = this.#abort;
    for (let attempt = 0; ; attempt++) {
      const outcome = await send(letter.body, signal);
      if (outcome.sent) return;
      const delay = retryDelay(attempt, outcome.afterMs);
      if (!outcome.retry || attempt === retries || delay === undefined) return onLost(letter, outcome.reason);
      await wait(delay, signal);
      if (signal.aborted) return onLost(letter, outcome.reason);
    }
  }
}

/** Ends early when it is aborted, and does not keep the process alive. */
function pause(ms: number, signal: AbortSignal): Promise<unknown> {
  return sleep(ms, undefined, { signal, ref: false }).catch(() => {});
}
