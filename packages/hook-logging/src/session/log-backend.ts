import type { HookContext, Metrics, RunStatus, Stage } from '@hookline/hook-api';
import type { Histogram } from '@hookline/hook-api/helpers';

/** Something that happened in a run, as every backend gets it. */
export type LogRecord = LogPosition & LogContent;

export interface LogPosition {
  /** Milliseconds since 1970. */
  time: number;
  stage: Stage;
  /** From 0. */
  epoch: number;
  /** Optimizer steps completed; after a fit, those of the fit. */
  step: number;
  /** Since the run started, as of the latest batch. */
  seconds: number;
}

export type LogContent =
  | { event: 'start'; epochs: number; batchesPerEpoch: number | undefined; resumed: boolean }
  | { event: 'epoch-start' }
  | BatchRecord
  | { event: 'validation'; metrics: Metrics }
  | { event: 'epoch'; metrics: Metrics; epochSeconds: number | undefined; system: Metrics }
  | { event: 'log'; scope: 'step' | 'epoch'; metrics: Metrics }
  | { event: 'histograms'; histograms: readonly Histogram[] }
  | { event: 'test'; metrics: Metrics }
  | { event: 'end'; status: RunStatus; stopReason: string | undefined; metrics: Metrics }
  | { event: 'error'; error: unknown }
  /** A signal that nobody handles ends the process. */
  | { event: 'killed'; signal: string };

export interface BatchRecord {
  event: 'batch';
  /** In the epoch, from 0. */
  batch: number;
  loader: string;
  skipped: boolean;
  /** Absent when the batch was skipped, like the average over the epoch so far. */
  loss?: number;
  avgLoss?: number;
  metrics: Metrics;
  /** By optimizer, or optimizer and group. */
  lr: Metrics;
  batchesPerSecond: number | undefined;
  system: Metrics;
}

/** What a backend may know of the run that it logs. */
export interface LogRun {
  readonly ctx: HookContext;
  /** Keeps the metrics that the user wants. */
  select(metrics: Metrics): Metrics;
  /** Something went wrong that cannot be mended: warns, once, and nothing more is written. Never throws. */
  fail(reason: string): void;
}

/**
 * Where a run is logged to. There is one for each run. Nothing here may wait for a disk or a network but `flush`
 * and `close`; whatever throws or rejects is warned of once, and the run goes on without the backend.
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
  /** Whether it is given the histograms that hooks leave, which are then gone for everybody else. */
  readonly takesHistograms?: boolean;
}
