import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import type { Batch, TensorTree } from './batch.js';
import type { Metrics, RunStatus, Stage } from './context.js';
import type { OptimizerView } from './optimizer-view.js';
import type { Snapshot } from './snapshot.js';

/**
 * Every event of a run, in the order in which the loop fires them. This table is the single source: the
 * `Hook` interface, the manager and docs/events.md are held equal to it by a test.
 *
 * ```
 * setup                                once per fit/validate/test/predict
 * onInit                               backend, model, data and hooks are ready
 * onTrainStart
 *   for each epoch
 *     onEpochStart
 *     for each batch                   from one or several named loaders
 *       onStepStart                    first batch of an optimizer step
 *       onTrainBatchStart              may ctx.skipBatch()
 *       transformBatch
 *       onTrainBatchReady              the batch as it will be used, before it is checked and enters the model
 *         forward  -> onForward        per tapped layer; transformActivation replaces its output
 *         transformLoss                replaces the loss; gradients flow through what it returns
 *         onBeforeBackward             the loss tensor
 *         backward
 *         onAfterBackward              this batch's gradients
 *       at an accumulation boundary
 *         transformGradients           once per step; each hook's result feeds the next
 *         clip -> onGradientClip       only when clipping is on
 *         onGradientsReady             once per step; the gradients as they will be applied
 *         onBeforeOptimizerStep        per optimizer; may ctx.skipStep()
 *         update
 *         onAfterOptimizerStep
 *         onStepEnd
 *       onTrainBatchEnd
 *     onValidationStart
 *       onValidationBatchStart, onValidationBatchEnd
 *     onValidationEnd
 *     onEpochEnd                       after validation: metrics hold train/* and val/*
 * onTrainEnd
 * teardown                             reverse order, always
 *
 * at any time                          onLog, onBeforeCheckpointSave, onCheckpointSave, onCheckpointLoad, onException
 * test()                               onTestStart, onTestBatchStart, onTestBatchEnd, onTestEnd
 * predict()                            onPredictStart, onPredictBatchStart, onPredictBatchEnd, onPredictEnd
 * ```
 */
export const EVENTS = {
  setup: { kind: 'lifecycle', sync: false },
  onInit: { kind: 'observe', sync: false },
  onTrainStart: { kind: 'observe', sync: false },
  onEpochStart: { kind: 'observe', sync: false },
  onStepStart: { kind: 'observe', sync: false },
  onTrainBatchStart: { kind: 'observe', sync: false },
  transformBatch: { kind: 'transform', sync: false },
  onTrainBatchReady: { kind: 'observe', sync: false },
  onForward: { kind: 'observe', sync: true },
  transformActivation: { kind: 'transform', sync: true },
  transformLoss: { kind: 'transform', sync: true },
  onBeforeBackward: { kind: 'observe', sync: true },
  onAfterBackward: { kind: 'observe', sync: false },
  transformGradients: { kind: 'transform', sync: false },
  onGradientClip: { kind: 'observe', sync: false },
  onGradientsReady: { kind: 'observe', sync: false },
  onBeforeOptimizerStep: { kind: 'observe', sync: false },
  onAfterOptimizerStep: { kind: 'observe', sync: false },
  onStepEnd: { kind: 'observe', sync: false },
  onTrainBatchEnd: { kind: 'observe', sync: false },
  onValidationStart: { kind: 'observe', sync: false },
  onValidationBatchStart: { kind: 'observe', sync: false },
  onValidationBatchEnd: { kind: 'observe', sync: false },
  onValidationEnd: { kind: 'observe', sync: false },
  onEpochEnd: { kind: 'observe', sync: false },
  onTrainEnd: { kind: 'observe', sync: false },
  teardown: { kind: 'lifecycle', sync: false },
  onLog: { kind: 'observe', sync: false },
  onBeforeCheckpointSave: { kind: 'observe', sync: false },
  onCheckpointSave: { kind: 'observe', sync: false },
  onCheckpointLoad: { kind: 'observe', sync: false },
  onException: { kind: 'observe', sync: false },
  onTestStart: { kind: 'observe', sync: false },
  onTestBatchStart: { kind: 'observe', sync: false },
  onTestBatchEnd: { kind: 'observe', sync: false },
  onTestEnd: { kind: 'observe', sync: false },
  onPredictStart: { kind: 'observe', sync: false },
  onPredictBatchStart: { kind: 'observe', sync: false },
  onPredictBatchEnd: { kind: 'observe', sync: false },
  onPredictEnd: { kind: 'observe', sync: false },
} as const;

export type EventName = keyof typeof EVENTS;

/** Names of the events of one kind: `lifecycle` (setup, teardown), `observe` (`on*`) or `transform`. */
export type EventOfKind<Kind extends 'lifecycle' | 'observe' | 'transform'> = {
  [Name in EventName]: (typeof EVENTS)[Name]['kind'] extends Kind ? Name : never;
}[EventName];

/** Names of the events that run inside the gradient tape, where nothing can be awaited. */
export type SyncEvent = {
  [Name in EventName]: (typeof EVENTS)[Name]['sync'] extends true ? Name : never;
}[EventName];

/** Gradients by parameter path, for example `encoder/dense_1/kernel`. */
export type Gradients = Readonly<Record<string, Tensor>>;

/**
 * New gradients by parameter path; those that are left out stay. `null`: no update of this parameter in this step, not
 * even by weight decay or momentum.
 */
export type GradientChanges = Readonly<Record<string, Tensor | null>>;

export interface StageEvent {
  stage: Stage;
}

export interface TrainStartEvent {
  /** Epochs this run will reach at most. */
  epochs: number;
  /** Batches in an epoch, where the data can tell. */
  batchesPerEpoch: number | undefined;
}

export interface EpochEvent {
  /** Counts from 0. */
  epoch: number;
}

export interface ValidationStartEvent extends EpochEvent {
  /** Where the data can tell. */
  batches: number | undefined;
}

export interface EvaluationStartEvent extends StageEvent {
  /** Where the data can tell. */
  batches: number | undefined;
}

export interface StepEvent {
  /** Optimizer steps completed so far, as in `ctx.state.step`. */
  step: number;
}

export interface BatchEvent<Data extends Batch = Batch> {
  batch: Data;
  /** Position in the epoch, from 0, over all loaders. */
  batchIndex: number;
  loaderIndex: number;
  loaderName: string;
}

/** The result of a batch. A skipped batch has no loss. */
export type BatchOutcome =
  | { skipped: false; loss: number; metrics: Metrics }
  | { skipped: true; loss: undefined; metrics: Metrics };

/** A batch, and what the model computed from it. */
export interface BatchOutputs<Data extends Batch = Batch> extends BatchEvent<Data> {
  /**
   * For hooks that list `outputs` in `needs`: what the model computed from the batch; absent when the batch was
   * skipped. It belongs to the trainer until the handler settles.
   */
  outputs?: TensorTree | undefined;
}

export type BatchEndEvent<Data extends Batch = Batch> = BatchOutputs<Data> & BatchOutcome;

export interface ForwardEvent {
  /** The tapped layer's path, for example `encoder/dense_1`. */
  path: string;
  inputs: readonly Tensor[];
  output: Tensor;
  training: boolean;
  /** 0 for the first use of the layer in this forward pass, 1 for the second (shared layers, RNN cells). */
  callIndex: number;
}

export interface LossEvent<Data extends Batch = Batch> extends BatchEvent<Data> {
  /** The loss on the tape. */
  loss: Scalar;
  /** What the model computed from the batch, on the tape; empty in the update of an own `trainingStep`. */
  outputs: TensorTree;
  /** In a module's own `trainingStep`: the optimizer whose update this is. */
  optimizer?: OptimizerView | undefined;
}

export interface BeforeBackwardEvent<Data extends Batch = Batch> extends BatchEvent<Data> {
  /** The loss on the tape. Read it elsewhere: a device read here stalls the step. */
  loss: Scalar;
  /** In a module's own `trainingStep`: the optimizer whose update this is. */
  optimizer?: OptimizerView | undefined;
}

export interface AfterBackwardEvent<Data extends Batch = Batch> extends BatchEvent<Data> {
  gradients: Gradients;
  /** In a module's own `trainingStep`: the optimizer whose update this is. */
  optimizer?: OptimizerView | undefined;
}

export interface GradientsEvent extends StepEvent {
  gradients: Gradients;
}

export interface GradientClipEvent extends StepEvent {
  mode: 'value' | 'norm' | 'globalNorm';
  limit: number;
  /** Global norm of all gradients. */
  normBefore: number;
  normAfter: number;
}

export interface GradientsReadyEvent extends GradientsEvent {
  /** The gradients as they were before clipping; the same object as `gradients` when clipping is off. */
  unclipped: Gradients;
}

export interface OptimizerStepEvent extends StepEvent {
  optimizerIndex: number;
  optimizer: OptimizerView;
  /** The gradients of this optimizer's parameters, as they will be (or were) applied. */
  gradients: Gradients;
}

export interface AfterOptimizerStepEvent extends OptimizerStepEvent {
  skipped: boolean;
}

export interface StepEndEvent extends StepEvent {
  /** Mean over the batches of this step. */
  loss: number;
  metrics: Metrics;
}

export interface EpochMetricsEvent extends EpochEvent {
  metrics: Metrics;
}

export interface TrainEndEvent {
  status: RunStatus;
  stopReason: string | undefined;
  metrics: Metrics;
}

export interface LogEvent extends StepEvent {
  scope: 'step' | 'epoch';
  epoch: number;
  values: Metrics;
}

export interface CheckpointEvent {
  /** Why it is saved, or what was asked for when it is loaded. */
  reason: string;
  /** Where it is; while saving, where it will be. */
  path: string;
}

export interface BeforeCheckpointSaveEvent extends CheckpointEvent {
  snapshot: Snapshot;
}

export interface ExceptionEvent {
  error: unknown;
}

export interface MetricsEvent {
  metrics: Metrics;
}

export interface PredictBatchEndEvent<Data extends Batch = Batch> extends BatchEvent<Data> {
  outputs: TensorTree;
}

/** The payload of each event, by name: annotate with `HookEvents['onTrainBatchEnd']`; `Data` is the type of your batches. */
export interface HookEvents<Data extends Batch = Batch> {
  setup: StageEvent;
  onInit: StageEvent;
  onTrainStart: TrainStartEvent;
  onEpochStart: EpochEvent;
  onStepStart: StepEvent;
  onTrainBatchStart: BatchEvent<Data>;
  transformBatch: BatchEvent<Data>;
  onTrainBatchReady: BatchEvent<Data>;
  onForward: ForwardEvent;
  transformActivation: ForwardEvent;
  transformLoss: LossEvent<Data>;
  onBeforeBackward: BeforeBackwardEvent<Data>;
  onAfterBackward: AfterBackwardEvent<Data>;
  transformGradients: GradientsEvent;
  onGradientClip: GradientClipEvent;
  onGradientsReady: GradientsReadyEvent;
  onBeforeOptimizerStep: OptimizerStepEvent;
  onAfterOptimizerStep: AfterOptimizerStepEvent;
  onStepEnd: StepEndEvent;
  onTrainBatchEnd: BatchEndEvent<Data>;
  onValidationStart: ValidationStartEvent;
  onValidationBatchStart: BatchEvent<Data>;
  onValidationBatchEnd: BatchEndEvent<Data>;
  onValidationEnd: EpochMetricsEvent;
  onEpochEnd: EpochMetricsEvent;
  onTrainEnd: TrainEndEvent;
  teardown: StageEvent;
  onLog: LogEvent;
  onBeforeCheckpointSave: BeforeCheckpointSaveEvent;
  onCheckpointSave: CheckpointEvent;
  onCheckpointLoad: CheckpointEvent;
  onException: ExceptionEvent;
  onTestStart: EvaluationStartEvent;
  onTestBatchStart: BatchEvent<Data>;
  onTestBatchEnd: BatchEndEvent<Data>;
  onTestEnd: MetricsEvent;
  onPredictStart: EvaluationStartEvent;
  onPredictBatchStart: BatchEvent<Data>;
  onPredictBatchEnd: PredictBatchEndEvent<Data>;
  onPredictEnd: StageEvent;
}

/** What each `transform*` may return in place of what it was given. */
export interface TransformResults {
  transformBatch: Batch;
  transformActivation: Tensor;
  transformLoss: Scalar;
  transformGradients: GradientChanges;
}
