import type { Hook, HookLogger, Stage } from '@hookline/hook-api';
import { lastWorkKey, type RunWarning, runHooksKey, warningsKey } from '@hookline/hook-api/helpers';
import { HOOK_API_VERSION, type RegistryEntry } from '@hookline/hook-discovery';
import { version_core } from '@tensorflow/tfjs-core';
import { version_layers } from '@tensorflow/tfjs-layers';
import {
  onIdleEnd,
  onProcessEnd,
  type ProcessEnd,
  reportExitCode,
  stopOnSignals,
  tolerateLostOutput,
  type Whereabouts,
} from '#host';
import { trainerError } from '../errors.js';
import { isForMain } from '../hooks/is-for-main.js';
import type { TrainerHooks } from '../hooks/trainer-hooks.js';
import { modelLayers } from '../model/model-layers.js';
import { sizeOf } from '../model/trainable.js';
import type { World } from '../strategies/world.js';
import { runExitCode } from './fit-result.js';
import { notingLogger } from './noting-logger.js';
import type { Prepared } from './prepare.js';
import { createRun, type RunRecord } from './record/create-run.js';
import type { RunOrigin } from './record/run-origin.js';
import type { RunOutcome } from './record/run-record-file.js';
import { Run } from './run.js';
import { runStage } from './run-stage.js';

export interface RunsOptions {
  /** The project's folder. */
  readonly root: string;
  readonly hooks: TrainerHooks;
  readonly logger: HookLogger;
  readonly runsDir: string | false | undefined;
  /** How long a hook may take, in seconds. */
  readonly hookTimeout: number;
  /** Whether signals end a fit cleanly, and the exit code of the process says how it ended. */
  readonly listens: boolean;
  /** The trainer's options, for the record. */
  readonly config: object;
  /** Where they come from; absent when they were given in code. */
  readonly origin?: RunOrigin | undefined;
  /** Whether the model is built by a function, so that the seed decides its weights. */
  readonly isSeeded: boolean;
}

/** Settings of one run, for the record. */
export interface RunSettings {
  readonly fastDevRun?: boolean;
}

/** The checkpoint whose weights a run starts from: what was asked for, and what was found. */
export interface StartsFrom {
  readonly load: { readonly checkpoint: string; readonly weights: unknown };
  readonly loadedFrom: string;
}

/** The runs of a trainer, one at a time: opens them, records them, and closes them whatever happens. */
export class Runs {
  /** The latest. */
  current: Run | undefined;
  #busy: Stage | undefined;
  /** When the trainer was claimed. */
  #claimedAt: number | undefined;
  /** Of the latest fit; validate, test and predict after it belong to the same run folder. */
  #record: RunRecord | undefined;
  /** What the weights were loaded from, if they were; for the record of the fits that follow. */
  startsFrom: StartsFrom | undefined;
  /** Until the run is closed. */
  #stopWatching: (() => void) | undefined;
  /** How that fit ended. */
  #outcome: RunOutcome | undefined;

  constructor(private readonly options: RunsOptions) {}

  get isBusy(): boolean {
    return this.#busy !== undefined;
  }

  claim(stage: Stage): void {
    if (this.#busy) {
      throw trainerError(
        'BUSY',
        `This trainer is in a ${this.#busy} already. Await it first; end a loop of trainingStep() with close().`,
      );
    }
    this.#busy = stage;
    this.#claimedAt = performance.now();
  }

  release(): void {
    this.#busy = undefined;
  }

  /** Claims the trainer while `work` goes on. If that can never end, because what it waits for does not come, says so. */
  async during<Value>(stage: Stage, work: () => Promise<Value>): Promise<Value> {
    this.claim(stage);
    const stopWatching = onIdleEnd(stage, this.options.logger, () => this.#whereabouts());
    try {
      return await work();
    } finally {
      stopWatching();
      this.release();
    }
  }

  /** Sets the hooks up, runs `body` and tears them down. The trainer must be claimed. */
  async within<Value>(
    stage: Stage,
    settings: RunSettings,
    prepared: Prepared,
    body: (run: Run) => Promise<Value>,
  ): Promise<{ run: Run; value: Value }> {
    const { hooks, listens } = this.options;
    const { world, logger } = prepared;
    const restoreHooks =
      settings.fastDevRun || (world && !world.isMain)
        ? hooks.resting((hook) => rests(hook, settings, world))
        : undefined;
    try {
      const run = await this.open(stage, settings, prepared);
      const stopListening =
        stage === 'fit' && listens ? stopOnSignals((reason) => stopRun(run, reason), logger) : undefined;
      try {
        const value = await runStage(run, () => body(run)).finally(stopListening);
        await this.close(run);
        if (stage === 'fit' && listens) reportExitCode(runExitCode(run.ending));
        return { run, value };
      } catch (error) {
        await this.close(run, error);
        throw error;
      }
    } finally {
      restoreHooks?.();
    }
  }

  /** How far it is, for whoever asks why it does not go on. */
  #whereabouts(): Whereabouts {
    const run = this.current;
    return {
      step: run?.parts.askedAt === this.#claimedAt ? run?.state.step : undefined,
      loading: this.options.hooks
        .list()
        .flatMap(({ name, enabled, status }) => (enabled && status === 'found' ? name : [])),
    };
  }

  /** All ranks have the run of the main rank. */
  async open(stage: Stage, settings: RunSettings, prepared: Prepared): Promise<Run> {
    const { world } = prepared;
    if (!world) return this.#open(stage, settings, prepared);
    try {
      if (!world.isMain) return await this.#open(stage, settings, prepared, await world.fromMain<string>());
      const run = await this.#open(stage, settings, prepared);
      await world.fromMain(run.info.id);
      return run;
    } catch (error) {
      world.abort(error);
      throw error;
    }
  }

  /** A fit opens a record; what follows it adds to the same one. */
  async #open(stage: Stage, settings: RunSettings, prepared: Prepared, mainId?: string): Promise<Run> {
    const { trainable, optimizers, schedule, random, backend, world, logger } = prepared;
    const { hooks } = this.options;
    if (stage === 'fit') {
      this.#record = this.#outcome = undefined;
      schedule?.restart();
    }
    const record = this.#record ?? (await this.#createRecord(stage, settings, prepared, mainId));
    // Loading weights leaves no record of its own.
    if (stage !== 'load') this.#record = record;
    const warnings: RunWarning[] = [];
    this.current = new Run({
      ...{ stage, trainable, optimizers, schedule, random, backend, world },
      logger: notingLogger(logger, warnings),
      hooks: hooks.manager,
      info: record.info,
      note: record.note,
      hookTimeout: this.options.hookTimeout,
      isTrial: settings.fastDevRun ?? false,
      askedAt: this.#claimedAt,
    });
    const run = this.current;
    run.shared.set(warningsKey, warnings);
    run.shared.set(runHooksKey, hooks);
    run.shared.set(lastWorkKey, []);
    this.#watch(run);
    return run;
  }

  /** Completes the record. What follows a fit, such as a test, adds its metrics to the fit's. */
  async close(run: Run, error?: unknown): Promise<void> {
    if (run.state.stage === 'load') return this.#stopWatching?.();
    const { status } = run.state;
    const ended = status === 'stopped' || status === 'error' ? status : 'completed';
    await this.#finish(run, error === undefined ? ended : 'error', error);
  }

  /** Until the run is closed: its record gets an end, and its output may get lost. */
  #watch(run: Run): void {
    this.#stopWatching?.();
    const stops = [onProcessEnd((end) => this.#processEnded(run, end)), tolerateLostOutput()];
    this.#stopWatching = () => {
      for (const stop of stops.splice(0)) stop();
    };
  }

  /** In the middle of the run, which nobody can end properly any more. */
  #processEnded(run: Run, { code, error }: ProcessEnd): void {
    const how = `the process ended with exit code ${code}`;
    run.ending.stopNow(how);
    // Otherwise the others would wait until the time is over, and not know why.
    run.world?.abort(error ?? how);
    void this.#finish(run, code === 0 ? 'stopped' : 'error', error);
  }

  #finish(run: Run, status: RunOutcome['status'], error: unknown): void | Promise<void> {
    this.#stopWatching?.();
    const outcome: RunOutcome = {
      status,
      stopReason: run.ending.stopReason,
      failure: run.ending.failure,
      best: run.reportedBest,
      durationMs: run.durationMs,
      hookCosts: this.options.hooks.costs(),
      error,
      // How the fit ended stays, whatever follows it.
      ...this.#outcome,
      metrics: { ...this.#outcome?.metrics, ...run.results },
    };
    if (run.state.stage === 'fit' || this.#outcome) this.#outcome = outcome;
    return this.#record?.finish(outcome);
  }

  #createRecord(
    stage: Stage,
    settings: RunSettings,
    { trainable, backend, seed, logger, world }: Prepared,
    mainId: string | undefined,
  ): Promise<RunRecord> {
    const { root, runsDir, config, isSeeded, origin } = this.options;
    const hooks = this.options.hooks.list();
    return createRun({
      ...{ root, stage, seed, backend, logger, origin },
      dir: settings.fastDevRun ? false : runsDir,
      ...(world && { rank: world.rank, world: world.size }),
      id: mainId,
      isWritten: stage !== 'load' && mainId === undefined,
      config: { ...config, ...settings, ...this.startsFrom, hooks: Object.fromEntries(hooks.map(settingOf)) },
      hooks: hooks.map(({ options: _options, kinds: _kinds, ...hook }) => hook),
      versions: { 'tfjs-core': version_core, 'tfjs-layers': version_layers, 'hook-api': HOOK_API_VERSION },
      model: { params: sizeOf(trainable), seeded: isSeeded, layers: modelLayers(trainable) },
      weights: Object.fromEntries(trainable.parameters.map(({ path, variable: { shape } }) => [path, shape])),
    });
  }
}

/** Whether a hook takes no part in this run. */
function rests(hook: Hook, { fastDevRun = false }: RunSettings, world: World | undefined): boolean {
  return (fastDevRun && hook.writes === true) || (!!world && !world.isMain && isForMain(hook));
}

/** By a signal: if a hook keeps the run from ending, it is named. */
function stopRun(run: Run, reason: string): void {
  const wait = run.watch.waitsFor;
  if (wait) run.logger.warn(`The run waits for hook "${wait.hook}" in ${wait.event}.`);
  run.ending.stop(reason);
}

/** What the configuration says of a hook: its options, or whether it is on. */
function settingOf({ name, enabled, options }: RegistryEntry): [string, object | boolean] {
  return [name, enabled ? (options ?? true) : false];
}
