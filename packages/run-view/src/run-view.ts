import type { JsonValue, Metrics } from '@hookline/hook-api';
import type { BestEpoch } from '@hookline/hook-api/helpers';
import type { Confusion } from './confusion.js';
import type { Profile } from './profile.js';
import type { Series } from './series.js';

/** `died`: the record says that it runs, but its process is gone. `unknown`: there is no record. */
export type Status = 'running' | 'completed' | 'stopped' | 'error' | 'died' | 'unknown';

/** One run, as its folder tells it. What the folder does not tell is absent. */
export interface RunView {
  readonly folder: string;
  readonly id: string;
  readonly status: Status;
  readonly stopReason?: string | undefined;
  /** Why a hook counts it as failed, or the error that ended it. */
  readonly failure?: string | undefined;
  /** ISO 8601, UTC. */
  readonly startedAt?: string | undefined;
  readonly finishedAt?: string | undefined;
  /** Of this run alone, if it continues another. */
  readonly durationMs?: number | undefined;
  /** The runs that this one continues, the oldest first. Their curves are in `series`. */
  readonly earlier: readonly EarlierRun[];
  readonly seed?: number | undefined;
  readonly backend?: string | undefined;
  readonly device?: string | undefined;
  readonly platform?: string | undefined;
  readonly configHash?: string | undefined;
  readonly config?: JsonValue | undefined;
  readonly versions: Readonly<Record<string, string>>;
  /** The hash, or in plain words why there is none. */
  readonly commit?: string | undefined;
  /** Tracked files differed from the commit. */
  readonly isDirty?: boolean | undefined;
  readonly parameters?: number | undefined;
  readonly layers: readonly LayerView[];
  readonly hooks: readonly HookView[];
  /** How many epochs the run was to reach. */
  readonly plannedEpochs?: number | undefined;
  readonly batchesPerEpoch?: number | undefined;
  /**
   * By name. `train/*` are means over an epoch, to be compared with `val/*`; `batch/*` are of one batch; the rest is as
   * it was logged: `lr/adam`, `grad/norm`, `speed/samples-per-second`.
   */
  readonly series: ReadonlyMap<string, Series>;
  readonly epochs: readonly EpochView[];
  /** Its epoch counts from 1, as in the result of `fit()`. */
  readonly best?: BestEpoch | undefined;
  /** The latest value of each metric that was measured, of a test too. */
  readonly metrics: Metrics;
  /** Where training was taken up from a checkpoint. */
  readonly resumes: readonly Resume[];
  readonly warnings: readonly WarningView[];
  /** By name, in the order of their steps. */
  readonly histograms: ReadonlyMap<string, readonly HistogramView[]>;
  /** What hook-profiler found. */
  readonly profile?: Profile | undefined;
  /** What hook-report counted in the latest validation. */
  readonly confusion?: Confusion | undefined;
  /** Lines of the log that are not of its format, or too long; and values beyond what is kept. */
  readonly skippedLines: number;
}

export interface LayerView {
  readonly path: string;
  readonly kind: string;
  readonly shape: string;
  readonly parameters: number;
}

export interface HookView {
  readonly name: string;
  readonly package?: string | undefined;
  readonly version?: string | undefined;
  readonly isOn: boolean;
  readonly reason?: string | undefined;
  readonly options?: JsonValue | undefined;
  readonly calls?: number | undefined;
  readonly milliseconds?: number | undefined;
}

export interface EpochView {
  /** From 0. */
  readonly epoch: number;
  readonly step: number;
  /** The run was stopped before its end. */
  readonly isCutShort: boolean;
  readonly metrics: Metrics;
}

export interface Resume {
  readonly step: number;
  readonly epoch: number;
}

export interface EarlierRun {
  readonly id: string;
  readonly durationMs?: number | undefined;
  /** Whether its log was there to be read. */
  readonly isKnown: boolean;
}

export interface WarningView {
  readonly time?: string | undefined;
  readonly step: number;
  readonly hook?: string | undefined;
  readonly message: string;
}

export interface HistogramView {
  readonly step: number;
  readonly edges: readonly number[];
  readonly counts: readonly number[];
}
