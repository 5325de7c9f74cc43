import type { HookContext } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import type { LogBackend, LogRecord } from './log-backend.js';
import { type MetricFilter, metricFilter } from './metric-filter.js';
import { onSignal } from './process-end.js';

/** One backend during one run: opened with its first record, and dropped when it fails. */
export class LogSession {
  readonly backend: LogBackend;
  readonly #select: ReturnType<typeof metricFilter>;
  /** Writes the last record of a process that a signal ends. */
  readonly #onKilled: (ctx: HookContext, signal: string) => void;
  /** `over`: it has failed, or is being closed; nothing more is written. */
  #state: 'new' | 'open' | 'over' = 'new';
  /** At most one failure is told, and none when it is closed. */
  #isSilent = false;
  #closing: Promise<void> | undefined;
  #stopListening: (() => void) | undefined;

  constructor(
    backend: LogBackend,
    filter: MetricFilter | undefined,
    onKilled: (ctx: HookContext, signal: string) => void,
  ) {
    this.backend = backend;
    this.#select = metricFilter(filter);
    this.#onKilled = onKilled;
  }

  /** Whether there is any use in writing. */
  get isOn(): boolean {
    return this.#state !== 'over';
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

  close(ctx: HookContext): Promise<void> {
    this.#closing ??= this.#close(ctx);
    return this.#closing;
  }

  async #close(ctx: HookContext): Promise<void> {
    const wasOpened = this.#state !== 'new';
    // A process that a signal ends trains on while this waits; what it logs then comes after the end of the log.
    this.#state = 'over';
    // One that failed may still hold a file or a listener.
    if (wasOpened) await this.#guard(ctx, () => this.backend.close());
    this.#isSilent = true;
    this.#stopListening?.();
  }

  #open(ctx: HookContext): void {
    if (this.#state !== 'new') return;
    this.#state = 'open';
    this.#stopListening = onSignal(async (ending) => {
      if (ending === undefined) return this.#guard(ctx, () => this.backend.flush?.());
      this.#onKilled(ctx, ending);
      await this.close(ctx);
    });
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
    this.#state = 'over';
    if (this.#isSilent) return;
    this.#isSilent = true;
    ctx.logger.warn(`${reason.replace(/\.$/, '')}. The run goes on without this log.`);
  }
}
