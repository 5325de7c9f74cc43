import type { JsonValue } from './json.js';
import type { OptimizerGroupView } from './optimizer-view.js';

/** Where a run was, as its snapshot says. */
export interface SavedCounters {
  epoch: number;
  completedEpochs: number;
  /** Optimizer steps that are done. */
  step: number;
  batchIndex?: number;
  /** Batches that are done, of the first epoch that is not completed. */
  batchesDone: number;
  elapsedSeconds: number;
  /** `onStepStart` has been fired for the step that is next. */
  stepBegun?: boolean;
  /** What the loop does next. */
  next?: string;
}

/**
 * The part of a snapshot that is JSON. What is typed as `JsonValue` is for the trainer alone. Optional parts are
 * absent in snapshots of older versions.
 */
export interface SavedRunState {
  seed: number;
  counters: SavedCounters;
  /** The state of the random generator. */
  random: number[];
  /** The groups of each optimizer. */
  optimizers: OptimizerGroupView[][];
  schedules?: JsonValue;
  /** Read it with `snapshotMetrics` of `@hookline/hook-api/helpers`: a value may be a number that JSON cannot hold. */
  metrics: JsonValue;
  logged?: JsonValue;
  numbers?: JsonValue;
  loaders?: JsonValue;
  /** What the epoch and the step had added up. */
  progress?: JsonValue;
  /** States of hooks and of their filters, by the name of the hook. */
  hooks: { [hook: string]: JsonValue };
  wantsValidation?: boolean;
  /** What decided how the run trained, by name: a run that resumes it must agree. */
  settings?: { [name: string]: JsonValue };
}
