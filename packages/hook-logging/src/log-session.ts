import type { HookContext } from '@hookline/hook-api';
import type { LogBackend, LogRecord } from './log-backend.js';
import { messageOf } from './message-of.js';
import { type MetricFilter, metricFilter } from './metric-filter.js';
import { onSignal } from './process-end.js';

/** One backend during one run: opened with its first record, and dropped when it fails. */
export class LogSession {
  readonly backend: LogBackend;
  readonly #select: ReturnType<typeof metricFilter>;
  #state: 'new' | 'open' | 'failed' | 'closed' = 'new';
  #stopListening: (() => void) | undefined;

  constructor(backend: LogBackend, filter: MetricFilter | undefined) {
    this.backend = backend;
    this.#select = metricFilter(filter);
  }

  /** Whether there is any use in writing. */
  get isOn(): boolean {
    return this.#state === 'new' || this.#state === 'open';
  }

  write(ctx: HookContext, record: LogRecord): void {
    this.#guard(ctx, () => {
      this.#open(ctx);
      if (this.#state === 'open') this.backend.write(record);
    });
  }

  /** Nobody waits for it. */
  flush(ctx: HookContext): void {
    if (this.#state !== 'open') return;
    void this.#guard(ctx, () => this.backend.flush?.());
  }

  async close(ctx: HookContext): Promise<void> {
    // One that failed may still hold a file or a listener.
    if (this.#state !== 'new') await this.#guard(ctx, () => this.backend.close());
    this.#stopListening?.();
    this.#state = 'closed';
  }

  #open(ctx: HookContext): void {
    if (this.#state !== 'new') return;
    this.#state = 'open';
    this.#stopListening = onSignal(async () => this.#guard(ctx, () => this.backend.flush?.()));
    this.backend.open({ ctx, select: this.#select, fail: (reason) => this.#fail(ctx, reason) });
  }

  /** Runs what may fail, now or later. */
  #guard(ctx: HookContext, work: () => void | Promise<void>): void | Promise<void> {
    const onFailure = (error: unknown) => this.#fail(ctx, messageOf(error));
    try {
      const pending = work();
      if (pending instanceof Promise) return pending.catch(onFailure);
    } catch (error) {
      onFailure(error);
    }
  }

  #fail(ctx: HookContext, reason: string): void {
    if (!this.isOn) return;
    this.#state = 'failed';
    ctx.logger.warn(`${reason.replace(/\.$/, '')}. The run goes on without this log.`);
  }
}
