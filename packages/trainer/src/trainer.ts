import type { Batch, HookLogger, Metrics, Stage, TensorTree } from '@hookline/hook-api';
import type {
  CheckedHooks,
  CheckedItem,
  HookItem,
  HookName,
  HookOptions,
  HookSettingOf,
  HooksOption,
  RegistryEntry,
} from '@hookline/hook-discovery';
import { HOOK_API_VERSION, HookRegistry } from '@hookline/hook-discovery';
import { WeightAverage } from '@hookline/optimizers';
import { setBackend, version_core } from '@tensorflow/tfjs-core';
import { version_layers } from '@tensorflow/tfjs-layers';
import { stoppedError, trainerError } from './errors.js';
import { callbackHook } from './hooks/callback-hook.js';
import { explainLoop } from './hooks/explain.js';
import { TrainerHooks } from './hooks/trainer-hooks.js';
import { createLogger } from './host/logger.js';
import { exitCodeOf, stopOnSignals } from './host/signals.js';
import { terminalStream } from './host/terminal-stream.js';
import { evaluate } from './loop/evaluate.js';
import { fit, type LossAndMetrics } from './loop/fit.js';
import { fitPlan, loaders } from './loop/plan.js';
import { predict } from './loop/predict.js';
import { StepSession } from './loop/step-session.js';
import { type LrFindOptions, type LrFindResult, lrFind } from './lr-find/lr-find.js';
import type { Model } from './model/build-model.js';
import { modelSummary } from './model/model-summary.js';
import { sizeOf } from './model/trainable.js';
import {
  checkEvaluateOptions,
  checkFitOptions,
  checkTrainerOptions,
  type EvaluateOptions,
  type FitOptions,
  type TrainerOptions,
} from './options.js';
import { type Prepared, prepare } from './prepare.js';
import { resumeRun } from './resume/resume-run.js';
import { betterOf, type FitResult } from './run/fit-result.js';
import { createRun, type RunRecord } from './run/record/create-run.js';
import type { RunOutcome } from './run/record/run-record-file.js';
import { Run } from './run/run.js';
import { runStage } from './run/run-stage.js';

/** Trains a model with the hooks that are installed in the project and those given in code. */
export class Trainer<const Hooks extends HooksOption = HooksOption> {
  readonly hooks: TrainerHooks;
  readonly #options: TrainerOptions;
  readonly #registry: HookRegistry;
  readonly #logger: HookLogger;
  readonly #seed: number;
  #prepared: Promise<Prepared> | undefined;
  /** Of the latest fit; validate, test and predict after it belong to the same run folder. */
  #record: RunRecord | undefined;
  /** How that fit ended. */
  #outcome: RunOutcome | undefined;
  #session: StepSession | undefined;
  #current: Run | undefined;
  #busy: Stage | undefined;
  #warned = false;

  /** Reads the manifests of installed hooks, and runs none of their code. */
  constructor(options: TrainerOptions & { hooks?: Hooks & CheckedHooks<Hooks> }) {
    checkTrainerOptions(options);
    this.#options = options;
    this.#logger = options.logger ?? createLogger({ stream: terminalStream(() => this.#current?.shared) });
    this.#seed = options.seed ?? Math.floor(Math.random() * 2 ** 32);
    this.#registry = new HookRegistry(options);
    this.hooks = new TrainerHooks(this.#registry, () => this.#busy !== undefined);
    for (const [index, callback] of (options.callbacks ?? []).entries()) {
      this.hooks.add(callbackHook(callback, `callback-${index + 1}`));
    }
  }

  /** Chooses the backend, builds the model and loads the hooks. `fit` and its likes do so when it was not done. */
  async ready(): Promise<this> {
    await this.#prepare();
    return this;
  }

  /** The model; built now if it was given as a function. */
  async model(): Promise<Model> {
    return (await this.#prepare()).trainable.source;
  }

  async fit(options: FitOptions): Promise<FitResult> {
    checkFitOptions(options);
    await this.close();
    const { train: _train, validation: _validation, ...settings } = options;
    return this.#run('fit', settings, async (run, prepared) => {
      run.average = this.#averageOf(prepared);
      if (options.fastDevRun && options.resume !== undefined) {
        this.#logger.info('fastDevRun: starting anew; nothing is resumed, and nothing is saved.');
      } else if (options.resume !== undefined) await resumeRun(run, options.resume, options);
      const plan = fitPlan(prepared, this.#options, options, run.info.seed);
      await run.fire('onInit', () => ({ stage: 'fit' }));
      const history = await fit(run, plan);
      if (this.#options.ema?.keep) run.average?.settle();
      return () => {
        const { status, epoch, completedEpochs } = run.state;
        // One that was broken off counts for what it has; checkpoints, which may continue it, do not know of that.
        if (completedEpochs <= epoch) run.best = betterOf(run.best, history.at(-1) ?? {}, epoch);
        return {
          status,
          stopReason: run.stopReason,
          history,
          metrics: { ...run.metrics },
          best: run.best,
          runDir: run.parts.info.dir,
          hookCosts: this.hooks.costs(),
          exitCode: exitCodeOf(run.stopReason),
        };
      };
    });
  }

  /** Loss and metrics over the data, as `val/*`. */
  async validate(options: EvaluateOptions): Promise<Metrics> {
    return this.#evaluate('validate', 'val', options);
  }

  /** Loss and metrics over the data, as `test/*`. */
  async test(options: EvaluateOptions): Promise<Metrics> {
    return this.#evaluate('test', 'test', options);
  }

  /** The model's outputs for the data, all batches joined; they belong to the caller. */
  async predict(options: EvaluateOptions): Promise<TensorTree> {
    checkEvaluateOptions('predict()', options);
    return this.#run('predict', {}, async (run, prepared) => {
      const data = loaders(prepared, options.data, 'predict', options.batchSize);
      await run.fire('onInit', () => ({ stage: 'predict' }));
      const outputs = await predict(run, data);
      return () => outputs;
    });
  }

  /**
   * Trains on one batch, hooks and all, for a loop of your own; the batch stays yours. Returns its numbers, or
   * undefined when a hook skipped it. After a hook has stopped the run, `stopReason` says so, and further calls
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
  stop(reason: string): void {
    if (this.#busy) this.#current?.stop(reason);
  }

  /** Why the latest run was stopped; undefined as long as it was not. A loop of `trainingStep` ends by it. */
  get stopReason(): string | undefined {
    return this.#current?.stopReason;
  }

  /** Sweeps the learning rate and suggests one; weights, optimizers and random state are as before in the end. */
  async lrFind(options: LrFindOptions): Promise<LrFindResult> {
    await this.close();
    this.#claim('fit');
    try {
      return await lrFind(await this.#prepare(), this.#options, options, this.#seed);
    } finally {
      this.#busy = undefined;
    }
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
    return modelSummary(trainable, optimizers);
  }

  /** The loop as it will run: every event, with the hooks that listen, in their order. */
  async explain(): Promise<string> {
    await this.#prepare();
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

  addConsoleLogging(options?: HookOptions): this {
    return this.use('console-log', options);
  }

  addJsonLogging(options?: HookOptions): this {
    return this.use('json-log', options);
  }

  addCheckpointing(options?: HookOptions): this {
    return this.use('checkpoint', options);
  }

  async #prepare(): Promise<Prepared> {
    this.#prepared ??= prepare(this.#options, this.#seed, this.#registry.root, this.#logger).catch(
      (error) => {
        // The next call may find the cause mended.
        this.#prepared = undefined;
        throw error;
      },
    );
    const prepared = await this.#prepared;
    // tfjs has one backend for all: another trainer may have chosen its own meanwhile.
    await setBackend(prepared.backend.name);
    this.#warnOfPlugins();
    await this.hooks.load();
    return prepared;
  }

  /** What discovery found odd; said once. */
  #warnOfPlugins(): void {
    if (this.#warned) return;
    this.#warned = true;
    const { packages = [], notInstalled = [] } = this.#registry.discovery ?? {};
    for (const { name, warnings } of packages) {
      for (const warning of warnings) this.#logger.warn(`${name}: ${warning}`);
    }
    if (notInstalled.length > 0) {
      this.#logger.warn(`Not installed, though package.json names them: ${notInstalled.join(', ')}.`);
    }
  }

  /** Opens a run, and closes it whatever happens. What `body` returns is called when the hooks are torn down. */
  async #run<Result>(
    stage: Stage,
    settings: { fastDevRun?: boolean },
    body: (run: Run, prepared: Prepared) => Promise<() => Result>,
  ): Promise<Result> {
    this.#claim(stage);
    let restoreHooks: (() => void) | undefined;
    try {
      const prepared = await this.#prepare();
      if (settings.fastDevRun) restoreHooks = this.hooks.withoutWriters();
      if (stage === 'fit') this.#record = this.#outcome = undefined;
      const { run, record } = this.#newRun(stage, settings, prepared);
      try {
        const listening = stage === 'fit' && this.#options.signals !== false;
        const stopListening = listening
          ? stopOnSignals((reason) => run.stop(reason), this.#logger)
          : undefined;
        const result = (await runStage(run, () => body(run, prepared)).finally(stopListening))();
        this.#finish(run, record);
        return result;
      } catch (error) {
        this.#finish(run, record, error);
        throw error;
      }
    } finally {
      this.#busy = undefined;
      restoreHooks?.();
    }
  }

  async #evaluate(
    stage: 'validate' | 'test',
    prefix: 'val' | 'test',
    options: EvaluateOptions,
  ): Promise<Metrics> {
    checkEvaluateOptions(`${stage}()`, options);
    return this.#run(stage, {}, async (run, prepared) => {
      const validation = loaders(prepared, options.data, stage, options.batchSize);
      await run.fire('onInit', () => ({ stage }));
      const metrics = await evaluate(run, prefix, { validation, objective: prepared.objective });
      if (!metrics)
        throw stoppedError(`${stage}()`, run.stopReason, 'There are no metrics of a part of the data.');
      return () => metrics;
    });
  }

  async #openSession(): Promise<StepSession> {
    this.#claim('fit');
    try {
      const prepared = await this.#prepare();
      this.#record = this.#outcome = undefined;
      const { run, record } = this.#newRun('fit', {}, prepared);
      const plan = fitPlan(prepared, this.#options, { train: [], epochs: 1 }, this.#seed);
      return await StepSession.open(run, { ...plan, readAlways: true }, (error) => {
        this.#session = undefined;
        this.#busy = undefined;
        this.#finish(run, record, error);
      });
    } catch (error) {
      this.#busy = undefined;
      throw error;
    }
  }

  #claim(stage: Stage): void {
    if (this.#busy) {
      throw trainerError(
        'BUSY',
        `This trainer is in a ${this.#busy} already. Await it first; a loop of trainingStep() ends with close().`,
      );
    }
    this.#busy = stage;
  }

  #newRun(
    stage: Stage,
    settings: { fastDevRun?: boolean },
    prepared: Prepared,
  ): { run: Run; record: RunRecord } {
    const { trainable, optimizers, schedule, random, backend, strategy } = prepared;
    if (stage === 'fit') schedule?.restart();
    const { hooks: _hooks, logger: _logger, model, ...options } = this.#options;
    const hooks = this.hooks.list();
    this.#record ??= createRun({
      root: this.#registry.root,
      dir: settings.fastDevRun ? false : this.#options.runsDir,
      stage,
      config: { ...options, ...settings, hooks: Object.fromEntries(hooks.map(settingOf)) },
      seed: this.#seed,
      backend,
      hooks: hooks.map(({ options: _options, kinds: _kinds, ...hook }) => hook),
      versions: { 'tfjs-core': version_core, 'tfjs-layers': version_layers, 'hook-api': HOOK_API_VERSION },
      model: { params: sizeOf(trainable), seeded: typeof model === 'function' },
      weights: Object.fromEntries(trainable.parameters.map(({ path, variable: { shape } }) => [path, shape])),
      logger: this.#logger,
    });
    const record = this.#record;
    this.#current = new Run({
      ...{ stage, trainable, optimizers, schedule, random, backend, strategy },
      hooks: this.hooks.manager,
      logger: this.#logger,
      info: record.info,
      isTrial: settings.fastDevRun ?? false,
    });
    return { record, run: this.#current };
  }

  /** Completes the run record. What follows a fit, such as a test, adds its metrics to the fit's. */
  #finish(run: Run, record: RunRecord, error?: unknown): void {
    const { status } = run.state;
    const ended = status === 'stopped' || status === 'error' ? status : 'completed';
    const outcome: RunOutcome = {
      status: error === undefined ? ended : 'error',
      stopReason: run.stopReason,
      best: run.best,
      durationMs: run.durationMs,
      hookCosts: this.hooks.costs(),
      error,
      // How the fit ended stays, whatever follows it.
      ...this.#outcome,
      metrics: { ...this.#outcome?.metrics, ...run.metrics },
    };
    if (run.state.stage === 'fit' || this.#outcome) this.#outcome = outcome;
    record.finish(outcome);
  }

  #averageOf({ trainable }: Prepared): WeightAverage | undefined {
    const { ema } = this.#options;
    return ema && new WeightAverage(() => trainable.trained(), ema.decay);
  }
}

/** What the configuration says of a hook: its options, or whether it is on. */
function settingOf({ name, enabled, options }: RegistryEntry): [string, object | boolean] {
  return [name, enabled ? (options ?? true) : false];
}
