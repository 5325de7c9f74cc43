import type { Batch, HookCost, HookLogger, Metrics, RunStatus, Stage, TensorTree } from '@hookline/hook-api';
import { setBackend, version_core } from '@tensorflow/tfjs-core';
import { version_layers } from '@tensorflow/tfjs-layers';
import { callbackHook } from './callback-hook.js';
import type { Loader } from './data/loader.js';
import { type Data, loadersOf } from './data/sources.js';
import { HOOK_API_VERSION } from './discovery/peer-range.js';
import { trainerError } from './errors.js';
import { evaluate } from './evaluate.js';
import { type FitPlan, fit, type LossAndMetrics } from './fit.js';
import { createLogger } from './logger.js';
import type { Model } from './model/build-model.js';
import { sizeOf } from './model/trainable.js';
import { clipOf } from './optimizers/clip.js';
import { predict } from './predict.js';
import { type Prepared, prepare } from './prepare.js';
import { deriveSeed } from './random.js';
import { HookRegistry } from './registry/hook-registry.js';
import type { HookItem, HookName, HookOptions, HookSetting } from './registry/hooks-option.js';
import type { RegistryEntry } from './registry/registry-entry.js';
import { resumeRun } from './resume.js';
import { Run } from './run.js';
import { createRun, type RunRecord } from './run-record/create-run.js';
import type { RunOutcome } from './run-record/run-record-file.js';
import { runStage } from './run-stage.js';
import { StepSession } from './step-session.js';
import { TrainerHooks } from './trainer-hooks.js';
import {
  checkEvaluateOptions,
  checkFitOptions,
  checkTrainerOptions,
  type EvaluateOptions,
  type FitOptions,
  type TrainerOptions,
} from './trainer-options.js';

export interface FitResult {
  status: RunStatus;
  /** Why the run ended before its last epoch. */
  stopReason: string | undefined;
  /** The metrics of each epoch. */
  history: readonly Metrics[];
  /** The latest value of every metric. */
  metrics: Metrics;
  /** The epoch with the lowest validation loss, or training loss where there is no validation. */
  best: { metric: string; value: number; epoch: number } | undefined;
  runDir: string;
  hookCosts: readonly HookCost[];
}

/** Trains a model with the hooks that are installed in the project and those given in code. */
export class Trainer {
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
  #busy: Stage | undefined;
  #warned = false;

  /** Reads the manifests of installed hooks, and runs none of their code. */
  constructor(options: TrainerOptions) {
    checkTrainerOptions(options);
    this.#options = options;
    this.#logger = options.logger ?? createLogger();
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
      if (options.resume !== undefined) await resumeRun(run, options.resume);
      const plan = this.#plan(prepared, options, run.info.seed);
      await run.fire('onInit', () => ({ stage: 'fit' }));
      const firstEpoch = run.state.epoch;
      const history = await fit(run, plan);
      return () => ({
        status: run.state.status,
        stopReason: run.stopReason,
        history,
        metrics: { ...run.metrics },
        best: bestOf(history, firstEpoch),
        runDir: run.parts.info.dir,
        hookCosts: this.hooks.costs(),
      });
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
      const loaders = this.#loaders(prepared, options.data, 'predict', options.batchSize);
      await run.fire('onInit', () => ({ stage: 'predict' }));
      const outputs = await predict(run, loaders);
      return () => outputs;
    });
  }

  /**
   * Trains on one batch, hooks and all, for a loop of your own; the batch stays yours. Returns its numbers, or
   * undefined when a hook skipped it. `close()` ends the run that the first call begins.
   */
  async trainingStep(batch: Batch): Promise<LossAndMetrics | undefined> {
    this.#session ??= await this.#openSession();
    return this.#session.step(batch);
  }

  /** Ends the run that `trainingStep` began: tears the hooks down and completes the run record. */
  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  addHook(item: HookItem): void {
    this.hooks.add(item);
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
  use(name: HookName, setting: HookSetting = true): this {
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
    settings: object,
    body: (run: Run, prepared: Prepared) => Promise<() => Result>,
  ): Promise<Result> {
    this.#claim(stage);
    try {
      const prepared = await this.#prepare();
      if (stage === 'fit') this.#record = this.#outcome = undefined;
      const { run, record } = this.#newRun(stage, settings, prepared);
      try {
        const result = await runStage(run, () => body(run, prepared));
        this.#finish(run, record);
        return result();
      } catch (error) {
        this.#finish(run, record, error);
        throw error;
      }
    } finally {
      this.#busy = undefined;
    }
  }

  async #evaluate(
    stage: 'validate' | 'test',
    prefix: 'val' | 'test',
    options: EvaluateOptions,
  ): Promise<Metrics> {
    checkEvaluateOptions(`${stage}()`, options);
    return this.#run(stage, {}, async (run, prepared) => {
      const validation = this.#loaders(prepared, options.data, stage, options.batchSize);
      await run.fire('onInit', () => ({ stage }));
      const metrics = await evaluate(run, prefix, { validation, objective: prepared.objective });
      return () => metrics;
    });
  }

  async #openSession(): Promise<StepSession> {
    this.#claim('fit');
    try {
      const prepared = await this.#prepare();
      this.#record = this.#outcome = undefined;
      const { run, record } = this.#newRun('fit', {}, prepared);
      const plan = { ...this.#plan(prepared, { train: [], epochs: 1 }, this.#seed), readAlways: true };
      return await StepSession.open(run, plan, (error) => {
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

  #newRun(stage: Stage, settings: object, prepared: Prepared): { run: Run; record: RunRecord } {
    const { trainable, optimizers, random, backend, strategy } = prepared;
    const { hooks: _hooks, logger: _logger, model, ...options } = this.#options;
    const hooks = this.hooks.list();
    this.#record ??= createRun({
      root: this.#registry.root,
      dir: this.#options.runsDir,
      stage,
      config: { ...options, ...settings, hooks: Object.fromEntries(hooks.map(settingOf)) },
      seed: this.#seed,
      backend,
      hooks: hooks.map(({ options: _options, kinds: _kinds, ...hook }) => hook),
      versions: { 'tfjs-core': version_core, 'tfjs-layers': version_layers, 'hook-api': HOOK_API_VERSION },
      model: { params: sizeOf(trainable), seeded: typeof model === 'function' },
      logger: this.#logger,
    });
    const record = this.#record;
    const logger = this.#logger;
    const { info } = record;
    return {
      record,
      run: new Run({
        stage,
        hooks: this.hooks.manager,
        trainable,
        optimizers,
        random,
        logger,
        info,
        backend,
        strategy,
      }),
    };
  }

  /** Completes the run record. What follows a fit, such as a test, adds its metrics to the fit's. */
  #finish(run: Run, record: RunRecord, error?: unknown): void {
    const { status } = run.state;
    const ended = status === 'stopped' || status === 'error' ? status : 'completed';
    const outcome: RunOutcome = {
      status: error === undefined ? ended : 'error',
      stopReason: run.stopReason,
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

  #plan(prepared: Prepared, options: FitOptions, seed: number): FitPlan {
    if (prepared.trainable.trained().length === 0) {
      throw trainerError(
        'BAD_MODEL',
        'The model has no trainable parameter: set trainable = true on the layers that should learn.',
      );
    }
    const { train, validation, epochs, batchSize, shuffle = true } = options;
    const { accumulate = 1, clip, nonFiniteLoss = 'warn' } = this.#options;
    return {
      epochs,
      train: this.#loaders(prepared, train, 'train', batchSize, shuffle ? seed : undefined),
      validation:
        validation === undefined ? [] : this.#loaders(prepared, validation, 'validation', batchSize),
      objective: prepared.objective,
      accumulate,
      clip: clip && clipOf(clip),
      nonFiniteLoss,
      readAlways: false,
    };
  }

  /** Shuffled where there is a seed to shuffle by. */
  #loaders({ trainable }: Prepared, data: Data, name: string, batchSize = 32, seed?: number): Loader[] {
    return loadersOf(data, name, {
      batchSize,
      shuffle: seed !== undefined,
      // A stream of its own, so that the order of the data does not depend on the model.
      seed: deriveSeed(seed ?? 0, 1),
      shapes: trainable.shapes,
    });
  }
}

/** What the configuration says of a hook: its options, or whether it is on. */
function settingOf({ name, enabled, options }: RegistryEntry): [string, object | boolean] {
  return [name, enabled ? (options ?? true) : false];
}

function bestOf(history: readonly Metrics[], firstEpoch: number): FitResult['best'] {
  const metric = history.some((metrics) => 'val/loss' in metrics) ? 'val/loss' : 'train/loss';
  let best: FitResult['best'];
  for (const [index, metrics] of history.entries()) {
    const value = metrics[metric] ?? Number.NaN;
    if (Number.isNaN(value) || (best && value >= best.value)) continue;
    best = { metric, value, epoch: firstEpoch + index };
  }
  return best;
}
