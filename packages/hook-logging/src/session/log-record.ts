import type { Metrics, RunStatus, Stage } from '@hookline/hook-api';
import type { Histogram } from '@hookline/hook-api/helpers';

/** Something that happened in a run, as every backend gets it. */
export type LogRecord = LogPosition & LogContent;

/** The record of one event. */
export type RecordOf<Event extends LogContent['event']> = LogPosition & Extract<LogContent, { event: Event }>;

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
  | EpochRecord
  | { event: 'log'; scope: 'step' | 'epoch'; metrics: Metrics }
  | { event: 'histograms'; histograms: readonly Histogram[] }
  /** Something that the trainer or a hook has warned of. */
  | { event: 'warning'; hook: string | undefined; message: string }
  | { event: 'test'; metrics: Metrics }
  | { event: 'end'; status: RunStatus; stopReason: string | undefined; metrics: Metrics }
  | { event: 'error'; error: unknown }
  /** A signal that nobody handles ends the process. */
  | { event: 'killed'; signal: string };

export interface EpochRecord {
  event: 'epoch';
  /** How many the epoch has had. */
  batches: number;
  /** The run was stopped before the end of the epoch: the metrics are those of a part of it. */
  cutShort: boolean;
  metrics: Metrics;
  epochSeconds: number | undefined;
  system: Metrics;
}

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
