import type { Variable } from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import type { TensorTree } from './batch.js';
import type { OptimizerView } from './optimizer-view.js';
import type { PhaseMark } from './phase-mark.js';
import type { SharedMap } from './shared.js';
import type { CheckpointProvider, RestoreReport, Snapshot, SnapshotOptions } from './snapshot.js';
import type { TrainableModule } from './trainable-module.js';

/** `load` has `setup`, `onCheckpointLoad` and `teardown`, and no data. */
export type Stage = 'fit' | 'validate' | 'test' | 'predict' | 'load';

export type RunStatus =
  | 'starting'
  | 'training'
  | 'validating'
  | 'testing'
  | 'predicting'
  | 'completed'
  | 'stopped'
  | 'error';

/** Numbers by prefixed name: `train/loss`, `val/accuracy`, `lr/adamw`. */
export type Metrics = Readonly<Record<string, number>>;

export interface TrainingState {
  readonly model: LayersModel | TrainableModule;
  /** Every weight of the model by path. They are live: read them, clone what you keep. */
  readonly parameters: Readonly<Record<string, Variable>>;
  readonly optimizers: readonly OptimizerView[];
  readonly stage: Stage;
  readonly status: RunStatus;
  /** The tfjs backend: `wasm`, `cpu`, `tensorflow`, ... */
  readonly backend: string;
  readonly device: 'cpu' | 'gpu';
  /** The current epoch, from 0. */
  readonly epoch: number;
  /** Epochs completed so far. */
  readonly completedEpochs: number;
  /** Optimizer steps completed so far. */
  readonly step: number;
  /** The current batch of the epoch, from 0. */
  readonly batchIndex: number;
  /** As of the last time a hook that was due needed it; NaN before. */
  readonly latestLoss: number;
  /** Mean over this epoch's batches, as of the last read; NaN before. */
  readonly avgLoss: number;
  /** Trainable numbers in the model. */
  readonly modelParams: number;
  /** Seconds since the run started, as of the current batch. */
  readonly elapsedSeconds: number;
}

export interface RunInfo {
  readonly id: string;
  /** The run's own folder; undefined when the run writes nothing, as with `runsDir: false`. */
  readonly dir: string | undefined;
  /** The folder that holds the folders of runs, whether or not this run has one. */
  readonly runsDir: string;
  readonly configHash: string;
  /** The same for runs that train the same model in the same way, however long they run and whatever watches them. */
  readonly experiment: string;
  readonly gitCommit: string;
  readonly seed: number;
  /** The number of this process among those that train together; 0 is the main rank. Absent when it trains alone. */
  readonly rank?: number;
  /** How many processes train together. Absent when this one trains alone. */
  readonly world?: number;
}

/** The part of a pino logger that hooks use; any logger of this shape works. */
export interface HookLogger {
  debug(fields: object, message?: string): void;
  debug(message: string): void;
  info(fields: object, message?: string): void;
  info(message: string): void;
  warn(fields: object, message?: string): void;
  warn(message: string): void;
  error(fields: object, message?: string): void;
  error(message: string): void;
  child(bindings: Record<string, unknown>): HookLogger;
}

/** What a hook sees of the run, and the verbs with which it acts on it. */
export interface HookContext {
  /** The name of the hook that holds this context. */
  readonly hook: string;
  readonly state: TrainingState;
  /** The latest value of every metric. */
  readonly metrics: Metrics;
  readonly run: RunInfo;
  /** Named after the hook. */
  readonly logger: HookLogger;
  /** Data that hooks leave for each other. */
  readonly shared: SharedMap;
  /** Aborted when the run stops. */
  readonly signal: AbortSignal;

  /** Buffers values for `onLog`, which fires once at the next step or epoch boundary. */
  log(values: Metrics): void;
  /**
   * A seed for the hook's own randomness: the same in every run with the same seed, another one for each hook, step
   * and batch, and for each `key` where one is not enough.
   */
  seed(...keys: (string | number)[]): number;
  /**
   * Ends the run after the current batch. Sticky: nothing undoes it, and the first reason is kept. Without a reason, the
   * name of the hook is the reason.
   */
  stop(reason?: string): void;
  /**
   * Has the run count as failed, though it ends without an error: its exit code is 1. For what must not pass for success,
   * such as weights that became NaN. The first reason is kept.
   */
  markFailed(reason: string): void;
  /** Leaves out the current batch; for `onTrainBatchStart`. */
  skipBatch(): void;
  /** Leaves out the current optimizer's update; for `onBeforeOptimizerStep`. */
  skipStep(): void;
  /** Has the checkpoint hook save at the next step boundary. */
  requestCheckpoint(reason?: string): void;
  /** Runs validation at the next step boundary. */
  requestValidation(): void;

  /**
   * For hooks that list `phases` in `needs`: where the time went since this hook last asked, or since the run began, in
   * order and without gaps; empty for all others. The method that asks is still under way, and not among them.
   */
  phases(): readonly PhaseMark[];

  /**
   * The model's outputs for inputs of yours, in inference mode; they belong to you. Training is not affected, and no
   * hook is called for it. Not inside the gradient tape: not in *sync* events.
   */
  forward<Outputs extends TensorTree = TensorTree>(xs: TensorTree): Outputs;
  /** A copy, by value, of what is needed to return to this point, as of the moment of the call; works in any event. */
  snapshot(options?: SnapshotOptions): Promise<Snapshot>;
  /**
   * Puts back what the snapshot holds. Before training begins, the run continues from where it was taken; after that,
   * the loop keeps its place in the data.
   */
  restore(snapshot: Snapshot, options?: { strict?: boolean }): Promise<RestoreReport>;
  /** Tells every hook, through `onCheckpointSave`, that a checkpoint is complete; for the hook that wrote it. */
  checkpointSaved(checkpoint: { reason: string; path: string }): void | Promise<void>;
  /** Offers checkpoints to `resume` and serves `requestCheckpoint`; for `setup`. */
  provideCheckpoints(provider: CheckpointProvider): void;
  /**
   * For whoever calls the hooks: is given what a method of this hook returned, and returns what to wait for. Nothing is
   * called for methods that return no promise, except `setup` and `teardown`.
   */
  watch?(event: string, returned: unknown): unknown;
  /**
   * For whoever calls the hooks, while every call is to be timed: is called before a method of this hook is, and returns
   * what to call once the method has settled or failed.
   */
  readonly enter?: ((event: string) => () => void) | undefined;
  /** What a hook has provided; undefined in a run without checkpoints. */
  readonly checkpoints?: CheckpointProvider | undefined;
}
