import type { Batch, HookLogger, Metrics, OptionsOf, Stage } from '@hookline/hook-api';
import {
  type CheckedHooks,
  type CheckedItem,
  type HookItem,
  type HookName,
  HookRegistry,
  type HookSettingOf,
  type HooksOption,
} from '@hookline/hook-discovery';
import { setBackend } from '@tensorflow/tfjs-core';
import { createLogger, terminalStream } from '#host';
import { callbackHook } from './hooks/callback-hook.js';
import { reportDiscovery } from './hooks/report-discovery.js';
import { TrainerHooks } from './hooks/trainer-hooks.js';
import { type FitOptions, fitPlan } from './loop/plan.js';
import { type EvaluateOptions, evaluateStage, fitStage, predictStage } from './loop/stages.js';
import type { StepSession } from './loop/step-session.js';
import type { LossAndMetrics } from './loop/train-batch.js';
import type { LrFindOptions, LrFindResult } from './lr-find/lr-find.js';
import type { Model, OutputsOf } from './model/build-model.js';
import {
  checkEvaluateOptions,
  checkFitOptions,
  checkLoad,
  checkTrainerOptions,
  DEFAULT_HOOK_TIMEOUT,
  type LoadOptions,
  type TrainerOptions,
} from './options.js';
import type { LoadReport } from './resume/load-weights.js';
import { reasonOf } from './run/context.js';
import { type FitResult, fitResult } from './run/fit-result.js';
import { type Prepared, prepare } from './run/prepare.js';
import { RUN_ORIGIN, type RunOrigin } from './run/record/run-origin.js';
import type { Run } from './run/run.js';
import { type RunSettings, Runs } from './run/runs.js';
import { loadCheckpoint } from './run/with-checkpoint.js';

/** A trainer by the name of its strategy: `simple` trains in this process, `accelerate` in several. */
export function getTrainer(
  strategy: 'simple' | 'accelerate',
  options: Omit<TrainerOptions, 'strategy'>,
): Trainer {
  return new Trainer({ ...options, strategy });
}

/** Trains a model with the hooks that are installed in the project and those given in code. */
export class Trainer<Built extends Model = Model, const Hooks extends HooksOption = HooksOption> {
  readonly hooks: TrainerHooks;
  readonly #options: TrainerOptions;
  readonly #registry: HookRegistry;
  readonly #logger: HookLogger;
  readonly #seed: number;
  readonly #runs: Runs;
  #prepared: Promise<Prepared> | undefined;
  #session: StepSession | undefined;
  /** Whether it was said what discovery found odd. */
  #warned = false;

  /** Reads the manifests of installed hooks, and runs none of their code. */
  constructor(
    options: TrainerOptions<Built> & { hooks?: Hooks & CheckedHooks<Hooks>; [RUN_ORIGIN]?: RunOrigin },
  ) {
    checkTrainerOptions(options);
    this.#options = options;
    this.#logger =
      options.logger ?? createLogger({ stream: terminalStream(() => this.#runs.current?.shared) });
    this.#seed = options.seed ?? Math.floor(Math.random() * 2 ** 32);
    this.#registry = new HookRegistry(options);
    this.hooks = new TrainerHooks(this.#registry, () => this.#runs.isBusy);
    const { hooks: _hooks, logger: _logger, root: _root, model, ...config } = options;
    this.#runs = new Runs({
      root: this.#registry.root,
      hooks: this.hooks,
      logger: this.#logger,
      runsDir: options.runsDir,
      hookTimeout: options.hookTimeout === false ? Infinity : (options.hookTimeout ?? DEFAULT_HOOK_TIMEOUT),
      listens: options.signals !== false,
      config,
      origin: options[RUN_ORIGIN],
      isSeeded: typeof model === 'function',
    });
    for (const [index, callback] of (options.callbacks ?? []).entries()) {
      this.hooks.add(callbackHook(callback, `callback-${index + 1}`));
    }
  }

  /** Chooses the backend, builds the model and loads the hooks. `fit` and the others do it when it was not done before. */
  async ready(): Promise<this> {
    await this.#prepare();
    return this;
  }

  /** The model; built now if it was given as a function. */
  async model(): Promise<Built> {
    return (await this.#prepare()).trainable.source as Built;
  }

  async fit(options: FitOptions): Promise<FitResult> {
    checkFitOptions(options);
    await this.close();
    const { train: _train, validation: _validation, ...settings } = options;
    const { run } = await this.#within('fit', settings, (run, prepared) =>
      fitStage(run, prepared, this.#options, options),
    );
    return fitResult(run, this.hooks.costs());
  }

  /**
   * Gives the model the weights of a checkpoint: its path, or the `best` or the `last` of the latest run. The next fit is
   * a new run, with fresh counters, optimizers, random state and hooks; to continue an old one, use `resume` of `fit`.
   * Returns what was loaded and what was not.
   */
  async load(
    checkpoint: 'best' | 'last' | (string & {}),
    { weights = 'all' }: LoadOptions = {},
  ): Promise<LoadReport> {
    checkLoad(checkpoint);
    await this.close();
    const { value } = await this.#within('load', {}, (run, prepared) =>
      loadCheckpoint(run, prepared, checkpoint, weights),
    );
    this.#runs.startsFrom = { load: { checkpoint, weights }, loadedFrom: value.checkpoint };
    return value;
  }

  /** Loss and metrics over the data, as `val/*`. */
  async validate(options: EvaluateOptions): Promise<Metrics> {
    return this.#evaluate('validate', options);
  }

  /** Loss and metrics over the data, as `test/*`. */
  async test(options: EvaluateOptions): Promise<Metrics> {
    return this.#evaluate('test', options);
  }

  /** The model's outputs for the data, all batches joined; they belong to the caller. */
  async predict(options: EvaluateOptions): Promise<OutputsOf<Built>> {
    checkEvaluateOptions('predict()', options);
    const { value } = await this.#within('predict', {}, (run, prepared) =>
      predictStage(run, prepared, options),
    );
    return value as OutputsOf<Built>;
  }

  /**
   * Trains on one batch, hooks and all, for a loop that you write yourself; the batch stays yours. Returns its numbers,
   * or undefined when a hook skipped it. After a hook has stopped the run, `stopReason` says so, and further calls
   * fail. `close()` ends the run that the first call begins.
   */
  async trainingStep(batch: Batch): Promise<LossAndMetrics | undefined> {
    this.#session ??= await this.#openSession();
    return this.#session.step(batch);
  }

  /**
   * Ends the fit or the loop of `trainingStep` that is on, after its current batch. The first reason is kept.
   * Outside of a run it does nothing.
   */
  stop(reason?: string): void {
    if (this.#runs.isBusy) this.#runs.current?.ending.stop(reasonOf(reason) ?? 'trainer.stop() was called');
  }

  /** Why the latest run was stopped; undefined as long as it was not. A loop of `trainingStep` ends by it. */
  get stopReason(): string | undefined {
    return this.#runs.current?.ending.stopReason;
  }

  /** Sweeps the learning rate and suggests one; weights, optimizers and random state are as before in the end. */
  async lrFind(options: LrFindOptions): Promise<LrFindResult> {
    await this.close();
    // What a page seldom needs is not loaded before it is.
    const { lrFind } = await import('./lr-find/lr-find.js');
    return this.#runs.during('fit', async () => {
      const prepared = await this.#prepare();
      return lrFind(prepared, this.#options, options, prepared.seed);
    });
  }

  /** Ends the run that `trainingStep` began: tears the hooks down and completes the run record. */
  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  /** Frees what the optimizers remember, and ends a loop of `trainingStep`. The model stays yours. */
  async dispose(): Promise<void> {
    await this.close();
    for (const optimizer of (await this.#prepared)?.optimizers ?? []) optimizer.dispose?.();
  }

  /** A table of the model's layers, their output shapes and parameters. */
  async summary(): Promise<string> {
    const { trainable, optimizers } = await this.#prepare();
    const { modelSummary } = await import('./model/model-summary.js');
    return modelSummary(trainable, optimizers);
  }

  /** The loop as it will run: every event, with the hooks that listen, in their order. */
  async explain(): Promise<string> {
    await this.#prepare();
    const { explainLoop } = await import('./hooks/explain.js');
    const enabled = this.hooks.manager.list().filter((hook) => hook.enabled);
    return explainLoop(enabled.map(({ name }) => this.hooks.manager.get(name)!));
  }

  /** Returns how to remove it again. */
  addHook<const Item extends HookItem>(item: Item & CheckedItem<Item>): () => void {
    return this.hooks.add(item);
  }

  removeHook(name: HookName): void {
    this.hooks.remove(name);
  }

  enableHook(name: HookName): void {
    this.hooks.enable(name);
  }

  disableHook(name: HookName): void {
    this.hooks.disable(name);
  }

  /** Tunes an installed hook by name: options, `true` or `false`. */
  use<Name extends HookName>(name: Name, setting: HookSettingOf<Name> = true): this {
    this.hooks.use(name, setting);
    return this;
  }

  addConsoleLogging(options?: OptionsOf<'console-log'>): this {
    return this.use('console-log', options);
  }

  addJsonLogging(options?: OptionsOf<'json-log'>): this {
    return this.use('json-log', options);
  }

  addCheckpointing(options?: OptionsOf<'checkpoint'>): this {
    return this.use('checkpoint', options);
  }

  async #prepare(): Promise<Prepared> {
    this.#prepared ??= prepare(this.#options, this.#seed, this.#registry.root, this.#logger).catch(
      (error) => {
        // The cause may be mended by the next call.
        this.#prepared = undefined;
        throw error;
      },
    );
    const prepared = await this.#prepared;
    // tfjs has one backend for all: another trainer may have chosen its own meanwhile.
    await setBackend(prepared.backend.name);
    if (!this.#warned) reportDiscovery(this.#registry, prepared.logger);
    this.#warned = true;
    await this.hooks.load();
    return prepared;
  }

  async #evaluate(stage: 'validate' | 'test', options: EvaluateOptions): Promise<Metrics> {
    checkEvaluateOptions(`${stage}()`, options);
    const { value } = await this.#within(stage, {}, (run, prepared) => evaluateStage(run, prepared, options));
    return value;
  }

  async #openSession(): Promise<StepSession> {
    this.#runs.claim('fit');
    try {
      const prepared = await this.#prepare();
      const { StepSession } = await import('./loop/step-session.js');
      const run = await this.#runs.open('fit', {}, prepared);
      const plan = fitPlan(prepared, this.#options, { train: [], epochs: 1 }, prepared.seed);
      return await StepSession.open(run, { ...plan, readAlways: true }, (error) => {
        this.#session = undefined;
        this.#runs.release();
        return this.#runs.close(run, error);
      });
    } catch (error) {
      this.#runs.release();
      throw error;
    }
  }

  #within<Value>(
    stage: Stage,
    settings: RunSettings,
    body: (run: Run, prepared: Prepared) => Promise<Value>,
  ): Promise<{ run: Run; value: Value }> {
    return this.#runs.during(stage, async () => {
      const prepared = await this.#prepare();
      return this.#runs.within(stage, settings, prepared, (run) => body(run, prepared));
    });
  }
}
