import {
  type CheckpointProvider,
  type EventOfKind,
  type Hook,
  type HookContext,
  type HookEvents,
  type HookLogger,
  HooklineError,
  type HookManager,
  type Metrics,
  type RestoreReport,
  type RunInfo,
  type SharedMap,
  type Snapshot,
  type Stage,
  type TrainingState,
} from '@hookline/hook-api';
import { deriveSeed } from '@hookline/numerics';
import type { LrSchedule, Optimizer, Parameter, WeightAverage } from '@hookline/optimizers';
import { learningParameters } from '../model/learning-parameters.js';
import { sizeOf, type Trainable } from '../model/trainable.js';
import type { BatchNumbers } from '../objective/metrics/metric-totals.js';
import { HookTraces } from '../resume/hook-traces.js';
import { restoreSnapshot } from '../resume/restore-snapshot.js';
import { type Position, ResumePoint } from '../resume/resume-point.js';
import { type SavedState, takeSnapshot } from '../resume/snapshot.js';
import type { FitResult } from './fit-result.js';
import { ForwardHooks } from './forward-hooks.js';
import type { RandomState } from './random.js';
import { createSharedMap } from './shared-map.js';
import type { Strategy } from './strategy.js';

export interface RunParts {
  readonly stage: Stage;
  readonly hooks: HookManager;
  readonly trainable: Trainable;
  readonly optimizers: readonly Optimizer[];
  /** Writes the learning rates; absent when they stay as they are. */
  readonly schedule?: LrSchedule | undefined;
  readonly random: RandomState;
  readonly logger: HookLogger;
  readonly info: RunInfo;
  readonly strategy: Strategy | undefined;
  readonly backend: { readonly name: string; readonly device: 'cpu' | 'gpu' };
  /** A `fastDevRun`: nobody is there to save anything. */
  readonly isTrial?: boolean;
}

export const INSTALL_CHECKPOINT: string = 'Install the hook that does: npm install @hookline/hook-checkpoint';

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** Where training stands, as a checkpoint holds it; JSON. */
export type Counters = Position & {
  epoch: number;
  completedEpochs: number;
  batchIndex: number;
  elapsedSeconds: number;
};

/** One fit, validate, test or predict while it runs: its state, and the context through which hooks see it. */
export class Run {
  readonly state: Mutable<TrainingState>;
  readonly info: Mutable<RunInfo>;
  /** The latest value of every metric. */
  readonly metrics: Record<string, number> = {};
  /** The parameters that learn, as of the start of the epoch. */
  trained: readonly Parameter[];
  /** Where a run that is resumed from a snapshot goes on. */
  readonly point: ResumePoint;
  /** What hooks leave in snapshots. */
  readonly traces: HookTraces;
  best: FitResult['best'];
  /** Of the weights, where the fit keeps one. */
  average: WeightAverage | undefined;
  checkpoints: CheckpointProvider | undefined;
  /** Set by the verbs, taken by the loop when it acts on them. */
  readonly #wishes = {
    skipBatch: false,
    skipStep: false,
    validation: false,
    checkpoint: undefined as string | undefined,
  };
  readonly #startedAt = performance.now();
  #warnedOfLoss = false;
  /** Of the run that this one resumed. */
  #secondsBefore = 0;
  #stopReason: string | undefined;
  #isFinished = false;
  #logged: Record<string, number> | undefined;
  readonly #abort = new AbortController();
  readonly shared: SharedMap = createSharedMap();
  /** The event that hooks were last called for. */
  #lastEvent: string | undefined;
  readonly #forwardHooks: ForwardHooks;
  readonly #context: Omit<HookContext, 'hook' | 'logger' | 'seed'>;

  constructor(readonly parts: RunParts) {
    const { stage, trainable, optimizers, backend } = parts;
    this.state = {
      model: trainable.source,
      parameters: Object.fromEntries(trainable.parameters.map(({ path, variable }) => [path, variable])),
      optimizers: optimizers.map(({ view }) => view),
      stage,
      status: 'starting',
      backend: backend.name,
      device: backend.device,
      epoch: 0,
      completedEpochs: 0,
      step: 0,
      batchIndex: 0,
      latestLoss: Number.NaN,
      avgLoss: Number.NaN,
      modelParams: sizeOf(trainable),
      elapsedSeconds: 0,
    };
    this.info = { ...parts.info };
    this.trained = learningParameters(trainable, optimizers);
    this.point = new ResumePoint(parts);
    this.traces = new HookTraces(parts.hooks, () => ({
      metrics: { ...this.metrics },
      logged: { ...this.#logged },
    }));
    this.#context = this.#createContext();
    this.#forwardHooks = new ForwardHooks(parts.hooks, trainable, parts.random);
  }

  /** Taps are for the run only. */
  dispose(): void {
    this.untap();
    this.point.dispose();
    this.average?.dispose();
  }

  /** Until the next batch. */
  untap(): void {
    this.#forwardHooks.dispose();
  }

  restore(snapshot: Snapshot, options?: { strict?: boolean }): Promise<RestoreReport> {
    return restoreSnapshot(this, snapshot, options);
  }

  get counters(): Counters {
    const { epoch, completedEpochs, batchIndex, elapsedSeconds } = this.state;
    return { epoch, completedEpochs, batchIndex, elapsedSeconds, ...this.point.position };
  }

  /** Continues the counters of an earlier run. Once the loop has begun, its place and its time are its own. */
  resumeFrom(
    { step, completedEpochs, batchIndex = 0, elapsedSeconds }: SavedState['counters'],
    seed: number,
  ): void {
    this.state.step = step;
    this.point.position.step = step;
    if (this.point.isFixed) return;
    Object.assign(this.state, { epoch: completedEpochs, completedEpochs, batchIndex, elapsedSeconds });
    this.info.seed = seed; // the order of the samples and the hooks' own randomness go on, too
    this.#secondsBefore = elapsedSeconds;
  }

  /** Puts back what was logged and not told yet, and what was asked for and not done yet. */
  takeOver(metrics: Metrics, logged: Metrics, wantsValidation: boolean): void {
    Object.assign(this.metrics, metrics);
    if (this.point.isFixed) return;
    if (Object.keys(logged).length > 0) this.#logged = { ...logged };
    this.#wishes.validation = wantsValidation;
  }

  get wantsValidation(): boolean {
    return this.#wishes.validation;
  }

  get stopped(): boolean {
    return this.#stopReason !== undefined;
  }

  get stopReason(): string | undefined {
    return this.#stopReason;
  }

  /** The run has failed: whatever waits on `ctx.signal` need not wait any longer. */
  abort(error: unknown): void {
    this.#abort.abort(error);
  }

  get durationMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** The first reason is kept. */
  stop(reason: string): void {
    this.#stopReason ??= reason;
    this.#abort.abort(reason);
  }

  /** Stops because it has come as far as it was to go: what is due at this point is done before it ends. */
  finish(reason: string): void {
    this.#isFinished ||= !this.stopped;
    this.stop(reason);
  }

  /** Whether it was stopped before it had come as far as it was to go. */
  get isBrokenOff(): boolean {
    return this.stopped && !this.#isFinished;
  }

  /** Calls the hooks; builds the payload only when somebody is due. */
  fire<Name extends EventOfKind<'observe'>>(
    event: Name,
    payload: () => HookEvents[Name] | Promise<HookEvents[Name]>,
  ): void | Promise<void> {
    const { hooks } = this.parts;
    if (!hooks.due(event)) return;
    this.#lastEvent = event;
    const built = payload();
    return built instanceof Promise
      ? built.then((event_) => hooks.call(event, event_))
      : hooks.call(event, built);
  }

  /** To be called before a forward pass: the taps follow the hooks that are there now. */
  updateTaps(): void {
    this.#forwardHooks.update();
  }

  enterBatch(batchIndex: number): void {
    this.#wishes.skipBatch = false; // a wish is for the batch in which it is made
    this.state.batchIndex = batchIndex;
    this.state.elapsedSeconds = this.#secondsBefore + (performance.now() - this.#startedAt) / 1000;
  }

  /** Keeps the numbers of a batch that was read, for `ctx.state` and `ctx.metrics`. */
  noteBatch({ loss, metrics, averageLoss }: BatchNumbers): BatchNumbers {
    this.state.latestLoss = loss;
    this.state.avgLoss = averageLoss;
    Object.assign(this.metrics, metrics);
    this.noteLoss(loss);
    return { loss, metrics, averageLoss };
  }

  /** Warns of a loss that is no number, once. */
  noteLoss(loss: number): void {
    if (Number.isFinite(loss) || this.#warnedOfLoss || this.stopped) return;
    this.#warnedOfLoss = true;
    const { epoch, batchIndex } = this.state;
    this.parts.logger.warn(
      { epoch, batch: batchIndex, loss },
      `The loss is ${loss} as of epoch ${epoch}, batch ${batchIndex}. Training goes on; nonFiniteLoss: 'throw' or 'skip' would keep the weights intact.`,
    );
  }

  /** Whether a hook asked for it since the last time. */
  takeWish(wish: 'skipBatch' | 'skipStep' | 'validation'): boolean {
    const wished = this.#wishes[wish];
    this.#wishes[wish] = false;
    return wished;
  }

  /** Has the checkpoint hook save, when somebody asked for it. */
  async serveCheckpoint(): Promise<void> {
    const reason = this.#wishes.checkpoint;
    if (reason === undefined) return;
    this.#wishes.checkpoint = undefined;
    if (this.checkpoints) await this.checkpoints.save(reason);
    else if (!this.parts.isTrial)
      this.parts.logger.warn(
        `A checkpoint was requested (${reason}), but no hook saves checkpoints. ${INSTALL_CHECKPOINT}`,
      );
  }

  /** Tells `onLog` what was logged since the last boundary. */
  flushLog(scope: 'step' | 'epoch'): void | Promise<void> {
    const values = this.#logged;
    if (values === undefined) return;
    this.#logged = undefined;
    const { step, epoch } = this.state;
    return this.fire('onLog', () => ({ scope, step, epoch, values }));
  }

  /** The context of one hook: the run's, with the hook's name and logger. */
  readonly contextFor = (hook: Hook): HookContext => {
    const { name } = hook;
    const logger = this.parts.logger.child({ hook: name });
    const seed: HookContext['seed'] = (...keys) =>
      deriveSeed(this.info.seed, name, this.state.step, this.state.batchIndex, ...keys);
    return Object.assign(Object.create(this.#context) as HookContext, { hook: name, logger, seed });
  };

  #createContext(): Omit<HookContext, 'hook' | 'logger' | 'seed'> {
    const wishes = this.#wishes;
    const run = this;
    return {
      state: this.state,
      metrics: this.metrics,
      run: this.info,
      shared: this.shared,
      signal: this.#abort.signal,
      log: (values) => this.#log(values),
      stop: (reason) => this.stop(reason),
      skipBatch: () => this.#skip('skipBatch', 'onTrainBatchStart'),
      skipStep: () => this.#skip('skipStep', 'onBeforeOptimizerStep'),
      requestCheckpoint: (reason) => {
        wishes.checkpoint ??= reason;
      },
      requestValidation: () => {
        wishes.validation = true;
      },
      snapshot: (options) => takeSnapshot(this, options),
      restore: (snapshot, options) => this.restore(snapshot, options),
      checkpointSaved: (checkpoint) => this.fire('onCheckpointSave', () => checkpoint),
      provideCheckpoints: (provider) => {
        this.checkpoints = provider;
      },
      get checkpoints() {
        return run.checkpoints;
      },
    };
  }

  /** A verb that has its place: anywhere else it would do nothing without a word. */
  #skip(wish: 'skipBatch' | 'skipStep', place: string): void {
    if (this.#lastEvent === place) this.#wishes[wish] = true;
    else this.parts.logger.warn(`ctx.${wish}() does nothing in ${this.#lastEvent}: call it in ${place}.`);
  }

  #log(values: Metrics): void {
    const bare = Object.keys(values).find((name) => !name.includes('/'));
    if (bare !== undefined) {
      throw new HooklineError(
        'METRIC_NAME',
        `ctx.log was given "${bare}". Metric names carry a prefix and a slash, such as "train/${bare}" or "my-hook/${bare}".`,
      );
    }
    this.#logged = { ...this.#logged, ...values };
    Object.assign(this.metrics, values);
  }
}
