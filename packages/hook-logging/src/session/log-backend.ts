import type { HookContext, Metrics } from '@hookline/hook-api';
import type { LogRecord } from './log-record.js';

/** What a backend may know of the run that it logs. */
export interface LogRun {
  readonly ctx: HookContext;
  /** Keeps the metrics that the user wants. */
  select(metrics: Metrics): Metrics;
  /** Something went wrong that cannot be mended: warns, once, and nothing more is written. Never throws. */
  fail(reason: string): void;
}

/**
 * Where a run is logged to. There is one for each run. Nothing here may wait for a disk or a network except `flush`
 * and `close`. The first error that is thrown or rejected is reported as a warning, and the run continues without
 * the backend.
 */
export interface LogBackend {
  /** Before the first record: a run that has nothing to say opens nothing. */
  open(run: LogRun): void;
  write(record: LogRecord): void;
  /**
   * Has everything written soon; called at the end of each epoch, when the run fails, and when a signal comes that
   * somebody else handles. A signal that ends the process closes instead.
   */
  flush?(): void | Promise<void>;
  /** When this settles everything is written. */
  close(): void | Promise<void>;
  /** Whether it gets a record with the histograms that hooks leave; each backend gets each histogram once. */
  readonly takesHistograms?: boolean;
}
