import type {
  CheckpointProvider,
  EventOfKind,
  Hook,
  HookContext,
  HookEvents,
  HookLogger,
  HookManager,
  Metrics,
  RestoreReport,
  RunInfo,
  RunPhase,
  SharedMap,
  Snapshot,
  SnapshotOptions,
  Stage,
  TensorTree,
  TrainingState,
} from '@hookline/hook-api';
import { type BestEpoch, betterEpoch, placeText } from '@hookline/hook-api/helpers';
import type { LrSchedule, Optimizer, Parameter, WeightAverage } from '@hookline/optimizers';
import { learningParameters } from '../model/learning-parameters.js';
import type { Trainable } from '../model/trainable.js';
import { LoggedValues } from '../objective/metrics/logged-values.js';
import type { BatchNumbers } from '../objective/metrics/metric-totals.js';
import { Cursor } from '../resume/cursor.js';
import { HookTraces } from '../resume/hook-traces.js';
import { INSTALL_CHECKPOINT } from '../resume/install-checkpoint.js';
import type { Mutable, Resumable } from '../resume/resumable.js';
import type { Settings } from '../resume/settings.js';
import { takeSnapshot } from '../resume/snapshot.js';
import type { World } from '../strategies/world.js';
import { agree } from './agree.js';
import { type ContextSource, contextMaker } from './context.js';
import { Ending } from './ending.js';
import { ForwardHooks } from './forward-hooks.js';
import { HookWatch } from './hook-watch.js';
import { infer } from './inference.js';
import { initialState } from './initial-state.js';
import { MetricLog } from './metric-log.js';
import { Phases } from './phases.js';
import type { RandomState } from './random.js';
import { frozen } from './read-only.js';
import type { RunRecord } from './record/create-run.js';
import { createSharedMap } from './shared-map.js';
import { TensorWatch } from './tensor-watch.js';
import { Wishes } from './wishes.js';

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
  /** Adds to the record of the run. */
  readonly note?: RunRecord['note'];
  /** The ranks that train together; absent when this process trains alone. */
  readonly world?: World | undefined;
  readonly backend: { readonly name: string; readonly device: 'cpu' | 'gpu' };
  /** How long a hook may take to settle, in seconds; absent when nobody watches. */
  readonly hookTimeout?: number | undefined;
  /** A `fastDevRun`: nothing is saved. */
  readonly isTrial?: boolean;
  /** When the caller asked for the run, as `performance.now()` gives it: before model and backend were there. */
  readonly askedAt?: number | undefined;
}

/** One fit, validate, test or predict while it runs: its state, and how hooks are called. */
export class Run implements Resumable, ContextSource {
  readonly state: Mutable<TrainingState>;
  readonly info: Mutable<RunInfo>;
  readonly logger: HookLogger;
  readonly shared: SharedMap = createSharedMap();
  readonly wishes: Wishes = new Wishes();
  /** Whether it is to end, and why. */
  readonly ending: Ending = new Ending();
  /** Ends the wait for a hook that hangs. */
  readonly watch: HookWatch;
  /** Calls the hooks, and knows what they do with tensors. */
  readonly tensors: TensorWatch;
  /** Where training is, and what a resumed run continues with. */
  readonly cursor: Cursor;
  /** Where the time goes, for hooks that ask for it. */
  readonly phases: Phases;
  /** What hooks leave in snapshots. */
  readonly traces: HookTraces;
  /** What the loss or the module logs in the batch that is under way. */
  readonly logged: LoggedValues = new LoggedValues();
  /** Makes the context of each hook. */
  readonly contextFor: (hook: Hook) => HookContext;
  /** The metrics of each epoch. */
  readonly history: Metrics[] = [];
  /** The parameters that learn, as of the start of the epoch. */
  trained: readonly Parameter[];
  best: BestEpoch | undefined;
  settings: Settings | undefined;
  /** Optimizer steps that were done when this fit began: those of the run that it resumed. */
  firstStep = 0;
  /** Of the weights, where the fit keeps one. */
  average: WeightAverage | undefined;
  checkpoints: CheckpointProvider | undefined;
  /** The event that hooks were last called for. */
  lastEvent: string | undefined;
  readonly #log: MetricLog;
  readonly #forwardHooks: ForwardHooks;
  readonly #startedAt = performance.now();
  /** Of the run that this one resumed. */
  #secondsBefore = 0;
  #warnedOfLoss = false;

  constructor(readonly parts: RunParts) {
    const { trainable, optimizers, hooks, random, logger } = parts;
    this.state = initialState(parts);
    this.info = { ...parts.info };
    this.logger = logger;
    this.#log = new MetricLog(hooks);
    this.watch = new HookWatch(parts.hookTimeout ?? Infinity, logger);
    this.tensors = new TensorWatch(hooks, this.state, logger);
    this.phases = new Phases(hooks, parts.askedAt ?? this.#startedAt);
    this.trained = learningParameters(trainable, optimizers);
    this.cursor = new Cursor(parts);
    this.traces = new HookTraces(
      hooks,
      () => ({ metrics: { ...this.metrics }, logged: this.#log.pending }),
      () => ({ isOn: this.state.status === 'error', logger }),
    );
    this.contextFor = contextMaker(this);
    if (parts.world) this.ending.byAgreement();
    // By the golden ratio, which spreads any number of ranks.
    random.turn = ((parts.world?.rank ?? 0) * 0.618033988749895) % 1;
    this.#forwardHooks = new ForwardHooks(hooks, trainable, random, this.tensors);
  }

  /** Taps are for the run only. */
  dispose(): void {
    this.untap();
    this.watch.dispose();
    this.cursor.dispose();
    this.average?.dispose();
  }

  /** Calls the hooks; builds the payload only when somebody is due. */
  fire<Name extends EventOfKind<'observe'>>(
    event: Name,
    payload: () => HookEvents[Name] | Promise<HookEvents[Name]>,
  ): void | Promise<void> {
    if (!this.parts.hooks.due(event)) return;
    this.lastEvent = event;
    if (this.phases.enter === undefined) return this.#call(event, payload);
    return this.phases.during('read', () => this.#call(event, payload));
  }

  #call<Name extends EventOfKind<'observe'>>(
    event: Name,
    payload: () => HookEvents[Name] | Promise<HookEvents[Name]>,
  ): void | Promise<void> {
    const built = payload();
    return built instanceof Promise
      ? built.then((event_) => this.tensors.call(event, frozen(event_)))
      : this.tensors.call(event, frozen(built));
  }

  /** Whether a hook that is due for the event, after `stepsAhead` more steps, asks for the outputs of the model. */
  needsOutputs(event: EventOfKind<'observe'>, stepsAhead = 0): boolean {
    this.state.step += stepsAhead;
    const isDue = this.parts.hooks.due(event, asksForOutputs);
    this.state.step -= stepsAhead;
    return isDue;
  }

  /** The ranks that train together; undefined when this process trains alone. */
  get world(): World | undefined {
    return this.parts.world;
  }

  /** All ranks act on what one of them wants; alone there is nobody to ask. */
  agree(): void | Promise<void> {
    return this.parts.world && agree(this);
  }

  /** The run enters another phase; without a hook that asks for phases, nothing is measured. */
  phase(phase: RunPhase): void {
    this.phases.begin(phase);
  }

  enterBatch(batchIndex: number): void {
    this.wishes.skipBatch = false; // a wish is for the batch in which it is made
    this.state.batchIndex = batchIndex;
    this.state.elapsedSeconds = this.#secondsBefore + (performance.now() - this.#startedAt) / 1000;
  }

  enterStep(): void {
    this.tensors.enterStep();
    this.phases.update();
  }

  /** To be called before a forward pass: the taps follow the hooks that are there now. */
  updateTaps(): void {
    this.#forwardHooks.update();
  }

  /** Until the next batch. */
  untap(): void {
    this.#forwardHooks.dispose();
  }

  get durationMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** The latest value of every metric. */
  get metrics(): Record<string, number> {
    return this.#log.latest;
  }

  /** What is a result of the run: without what built-in hooks log about it, such as norms of gradients. */
  get results(): Metrics {
    return this.#log.results;
  }

  log(values: Metrics, hook: string): void {
    this.#log.add(values, hook);
  }

  /** Keeps the numbers of a batch that was read, for `ctx.state` and `ctx.metrics`. */
  noteBatch(numbers: BatchNumbers): BatchNumbers {
    const { loss, metrics, averageLoss } = numbers;
    this.state.latestLoss = loss;
    this.state.avgLoss = averageLoss;
    this.#log.note(metrics);
    this.noteLoss(loss);
    return numbers;
  }

  noteMetrics(metrics: Metrics): void {
    this.#log.note(metrics);
  }

  /** Warns of a loss that is not a number, once. */
  noteLoss(loss: number): void {
    if (Number.isFinite(loss) || this.#warnedOfLoss || this.ending.stopped) return;
    this.#warnedOfLoss = true;
    const { epoch, batchIndex } = this.state;
    this.logger.warn(
      `The loss is ${loss} as of ${placeText(epoch, batchIndex)}. Training continues; nonFiniteLoss: 'throw' or 'skip' would keep the weights intact.`,
    );
  }

  /** Reports, through `onLog`, what was logged since the last boundary. */
  flushLog(scope: 'step' | 'epoch'): void | Promise<void> {
    const values = this.#log.take();
    if (values === undefined) return;
    const { step, epoch } = this.state;
    return this.fire('onLog', () => ({ scope, step, epoch, values }));
  }

  /** Has the checkpoint hook save, when somebody asked for it. */
  async serveCheckpoint(): Promise<void> {
    const reasons = this.wishes.takeCheckpoints();
    const [reason] = reasons;
    if (reason === undefined || this.world?.isMain === false) return;
    const { checkpoints } = this;
    if (checkpoints) await this.phases.during('checkpoint', () => checkpoints.save(reason, reasons));
    else if (!this.parts.isTrial)
      this.logger.warn(
        `A checkpoint was requested (${reason}), but no hook saves checkpoints. ${INSTALL_CHECKPOINT}`,
      );
  }

  /** The outputs of the model, for a hook; no hook is called for it. */
  forward(xs: TensorTree): TensorTree {
    this.untap();
    return infer(this.parts, xs);
  }

  snapshot(options?: SnapshotOptions): Promise<Snapshot> {
    return takeSnapshot(this, options);
  }

  async restore(snapshot: Snapshot, options?: { strict?: boolean }): Promise<RestoreReport> {
    // Loaded when it is needed: few runs restore anything, and pages download less.
    const [{ checkSnapshot }, { restoreSnapshot }] = await Promise.all([
      import('../resume/check-snapshot.js'),
      import('../resume/restore-snapshot.js'),
    ]);
    checkSnapshot(snapshot, 'The snapshot that ctx.restore() was given');
    return restoreSnapshot(this, snapshot, options);
  }

  checkpointSaved(checkpoint: { reason: string; path: string }): void | Promise<void> {
    return this.fire('onCheckpointSave', () => ({ ...checkpoint }));
  }

  get wantsValidation(): boolean {
    return this.wishes.validation;
  }

  takeOver({ elapsedSeconds, metrics, logged, wantsValidation }: Parameters<Resumable['takeOver']>[0]): void {
    this.#log.note(metrics);
    if (this.cursor.isFixed) return;
    this.#secondsBefore = elapsedSeconds;
    this.#log.pending = logged;
    this.wishes.validation = wantsValidation;
  }

  /**
   * The best epoch, for people: it counts from 1. One that was broken off counts for what it has; checkpoints, which may
   * continue it, do not know.
   */
  get reportedBest(): BestEpoch | undefined {
    const { epoch, completedEpochs } = this.state;
    const best =
      completedEpochs > epoch ? this.best : betterEpoch(this.best, this.history.at(-1) ?? {}, epoch);
    return best && { ...best, epoch: best.epoch + 1 };
  }
}

function asksForOutputs({ needs }: Hook): boolean {
  return needs?.includes('outputs') ?? false;
}
