import type { SavedRunState } from './saved-run-state.js';

/** A tensor on the host, by value. */
export interface HostTensor {
  dtype: 'float32' | 'int32' | 'bool';
  shape: readonly number[];
  data: Float32Array | Int32Array | Uint8Array;
}

export interface SnapshotOptions {
  /** `model`: only the weights. `all` (default): everything that an exact resume needs. */
  include?: 'model' | 'all';
  /** Reason and path for `onBeforeCheckpointSave`; without them that event is not fired. */
  checkpoint?: { reason: string; path: string };
}

/** The state of a run at one moment: tensors by path, everything else as JSON. */
export interface Snapshot {
  version: 1;
  model: Record<string, HostTensor>;
  optimizer?: Record<string, HostTensor>;
  /** The moving average of the weights, by path, where the run keeps one. */
  average?: Record<string, HostTensor>;
  /** What belongs to a step or epoch that is not finished: summed gradients, totals of metrics, states of layers. */
  partial?: Record<string, HostTensor>;
  /** Tensors that hooks save, as `<hook>/<name>`. */
  hooks?: Record<string, HostTensor>;
  /** Counters, random state, data position, schedules, filters and hook states. */
  state?: SavedRunState;
}

export interface RestoreReport {
  restored: readonly string[];
  /** In the run, not in the snapshot. */
  missing: readonly string[];
  /** In the snapshot, not in the run. */
  unexpected: readonly string[];
}

export interface CheckpointRef {
  path: string;
  /** The id of the run that saved it. */
  run?: string;
  /** How the run ended, for its last checkpoint; absent when the run continued or was killed. */
  ended?: { status: 'completed' | 'stopped'; stopReason?: string };
}

/** What a checkpoint hook offers the trainer. */
export interface CheckpointProvider {
  /**
   * `check` throws when a snapshot cannot be used, naming the file that it is given: then the next one is taken, as if it
   * were damaged, where the rule is to take the next one.
   */
  find(
    which: 'auto' | 'best' | (string & {}),
    check?: (snapshot: Snapshot, file: string) => void,
  ): Promise<CheckpointRef | undefined>;
  load(checkpoint: CheckpointRef): Promise<Snapshot>;
  /**
   * Called at the step boundary after `ctx.requestCheckpoint(reason)`. `reasons` has every reason that was given since the
   * last boundary, in order; `reason` is the first of them.
   */
  save(reason: string, reasons?: readonly string[]): Promise<void>;
}
