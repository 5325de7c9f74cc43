import type { HookContext } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { shortText } from '../service/short-text.js';
import type { LogBackend } from './log-backend.js';
import type { LogRecord } from './log-record.js';
import { type MetricFilter, metricFilter } from './metric-filter.js';
import { onSignal } from './process-end.js';

/** A backend that cannot hurt the run: opened with its first record, and dropped when it fails. */
export class GuardedBackend {
  readonly #select: ReturnType<typeof metricFilter>;
  /** `over`: it has failed, or is being closed; nothing more is written. */
  #state: 'new' | 'open' | 'over' = 'new';
  /** At most one failure is reported, and none once it is closed. */
  #isSilent = false;
  #closing: Promise<void> | undefined;
  #stopListening: (() => void) | undefined;

  constructor(
    private readonly ctx: HookContext,
    private readonly backend: LogBackend,
    filter: MetricFilter | undefined,
    /** Writes the last record of a process that a signal ends. */
    private readonly onKilled: (signal: string) => void,
  ) {
    this.#select = metricFilter(filter);
  }

  /** Whether there is any use in writing. */
  get isOn(): boolean {
    return this.#state !== 'over';
  }

  /** Whether it has had a record, and takes more. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get takesHistograms(): boolean {
    return this.backend.takesHistograms ?? false;
  }

  write(record: LogRecord): void {
    this.#guard(() => {
      this.#open();
      if (this.#state === 'open') this.backend.write(record);
    });
  }

  /** Nobody waits for it. */
  flush(): void {
    if (this.#state !== 'open') return;
    void this.#guard(() => this.backend.flush?.());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const wasOpened = this.#state !== 'new';
    // A process that a signal ends keeps training while this waits; what it logs then comes after the end of the log.
    this.#state = 'over';
    // One that failed may still hold a file or a listener.
    if (wasOpened) await this.#guard(() => this.backend.close());
    this.#isSilent = true;
    this.#stopListening?.();
  }

  #open(): void {
    if (this.#state !== 'new') return;
    this.#state = 'open';
    this.#stopListening = onSignal(async (ending) => {
      if (ending === undefined) return this.#guard(() => this.backend.flush?.());
      this.onKilled(ending);
      await this.close();
    });
    const { ctx } = this;
    this.backend.open({ ctx, select: this.#select, fail: (reason) => this.#fail(reason) });
  }

  /** Runs what may fail, now or later. */
  #guard(work: () => void | Promise<void>): void | Promise<void> {
    const onFailure = (error: unknown) => this.#fail(messageOf(error));
    try {
      const pending = work();
      if (pending instanceof Promise) return pending.catch(onFailure);
    } catch (error) {
      onFailure(error);
    }
  }

  #fail(reason: string): void {
    this.#state = 'over';
    if (this.#isSilent) return;
    this.#isSilent = true;
    this.ctx.logger.warn(`${shortText(reason).replace(/\.$/, '')}. The run continues without this log.`);
  }
}
