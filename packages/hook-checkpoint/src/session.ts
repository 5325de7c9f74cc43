import { dirname, relative, resolve } from 'node:path';
import {
  type HookContext,
  HooklineError,
  type JsonValue,
  type LoadedHookState,
  type Metrics,
  type TrainingState,
} from '@hookline/hook-api';
import { foreignState, messageOf } from '@hookline/hook-api/helpers';
import { Cadence, type Unit } from './cadence.js';
import { type Entry, readEntry } from './checkpoint-folder.js';
import { CheckpointStore } from './checkpoint-store.js';
import { CheckpointWriter } from './checkpoint-writer.js';
import { Monitor } from './monitor.js';
import type { CheckpointRules } from './options.js';
import { Origin } from './origin.js';
import { spaceProblem } from './preflight.js';
import { isAmongBest, type Rating, ranked } from './ranking.js';
import { markEnd } from './run-end.js';
import { type SavePlan, Saver } from './saver.js';

/** Of a save that is asked for because a validation has found what its checkpoint is worth. */
const RANKING = 'validation';

interface Best {
  readonly path: string;
  readonly rating: Rating;
}

/** The checkpoints of one fit: when to save, what is worth keeping, and how it all begins and ends. */
export class CheckpointSession {
  readonly #origin: Origin;
  readonly #cadence: Cadence;
  readonly #monitor: Monitor;
  readonly #writer: CheckpointWriter;
  #store: CheckpointStore | undefined;
  #saver: Saver | undefined;
  /** What the cadence has asked for, until the boundary. */
  #due: { reason: string; units: readonly Unit[] } | undefined;
  /** A checkpoint was due when its metric was not known: the next one that is known is ranked. */
  #isRankingOwed = false;
  /** What ended the run before its time. */
  #stopReason: string | undefined;
  #hasServedStop = false;
  #hasFailed = false;
  /** The best so far, relative to the folder of checkpoints. */
  #best: Best | undefined;
  readonly #onAbort = (): void => this.#stopped(this.ctx.signal.reason);

  constructor(
    private readonly ctx: HookContext,
    private readonly rules: CheckpointRules,
  ) {
    this.#origin = new Origin(ctx, rules);
    this.#cadence = new Cadence(rules.every);
    this.#monitor = new Monitor(ctx, rules);
    this.#writer = new CheckpointWriter(rules.async, ctx.logger);
    ctx.provideCheckpoints({
      find: (which) => this.#origin.find(which),
      load: (checkpoint) => this.#origin.load(checkpoint),
      save: (reason) => this.#save(reason),
    });
    ctx.signal.addEventListener('abort', this.#onAbort);
  }

  resumed(which: string, path: string): Promise<void> {
    return this.#origin.resumed(which, path);
  }

  /** Before the first epoch: a place that cannot be written to, or is too small, shows now. */
  async open(): Promise<void> {
    const { ctx, rules } = this;
    const lock = await this.#origin.takeLock();
    const { dir, lineage, resumedFrom } = this.#origin;
    if (dir === undefined) {
      ctx.logger.debug('No checkpoints: the run has no folder, and "dir" is not given.');
      return;
    }
    const elsewhere = await this.#bestElsewhere(dir);
    const { logger } = ctx;
    this.#store = await CheckpointStore.open({
      ...{ dir, rules, lineage, resumedFrom, elsewhere, lock, logger },
      writer: this.#writer,
    });
    this.#saver = new Saver(ctx, rules, this.#store, lineage);
    await this.#checkSpace();
    ctx.logger.debug({ dir }, `Checkpoints go to ${dir}.`);
  }

  /** Answered from the state alone. */
  isDue(state: TrainingState): boolean {
    if (!this.#saver) return false;
    return this.#saver.hasNews || this.#cadence.due(state, 'steps', 'minutes') !== undefined;
  }

  async stepEnded(step: number, metrics: Metrics): Promise<void> {
    this.#monitor.noteStep(step, metrics);
    await this.#saver?.tell();
    this.#request(this.#cadence.due(this.ctx.state, 'steps', 'minutes'), 'steps', 'minutes');
  }

  validated(): void {
    this.#monitor.noteValidation();
    const { saveOnTrainEpochEnd } = this.rules;
    if (saveOnTrainEpochEnd === true) return;
    // In the middle of an epoch; at its end the epoch asks.
    if (this.#isRankingOwed || this.#cadence.dueAfterEpoch(this.ctx.state)) this.#askForRanking();
  }

  epochEnded(): void {
    this.#monitor.noteEpoch();
    if (!this.#saver) return;
    this.#monitor.checkPresence();
    const isReady = this.rules.saveOnTrainEpochEnd !== false || this.#monitor.isValidated;
    if (isReady) this.#request(this.#cadence.due(this.ctx.state, 'epochs'), 'epochs');
    if (this.#isRankingOwed) this.#askForRanking();
  }

  trainingEnded(): void {
    if (this.#hasServedStop || this.#saver?.hasStopped || this.#isUnwanted(this.#stopReason)) return;
    this.#request('end of training');
  }

  /** Saves what there is; whatever goes wrong now must not hide the error that ended the run. */
  async failed(error: unknown): Promise<void> {
    if (!this.rules.saveOnException || !this.#saver) return;
    this.#hasFailed = true;
    try {
      await this.#save(`exception: ${messageOf(error)}`);
      await this.#saver.settle();
    } catch (failure) {
      this.ctx.logger.error(`No checkpoint could be saved after the failure: ${messageOf(failure)}`);
    }
  }

  async close(): Promise<void> {
    this.ctx.signal.removeEventListener('abort', this.#onAbort);
    try {
      await this.#saver?.settle();
      await this.#markEnd();
    } finally {
      await (await this.#origin.takeLock())?.release();
      await this.#store?.close();
      await this.#writer.close();
    }
  }

  saveState(): { [part: string]: JsonValue } {
    const best = this.#best && { path: this.#best.path, rating: { ...this.#best.rating } };
    return { cadence: this.#cadence.save(), nonFinite: this.#monitor.nonFinite, best: best ?? null };
  }

  loadState(state: LoadedHookState): void {
    if (state === null) return; // saved while the hook was off
    const saved = Object(state) as { cadence?: unknown; nonFinite?: unknown; best?: unknown };
    if (typeof saved.cadence !== 'object' || saved.cadence === null) {
      throw foreignState('checkpoint', state, '{ cadence, nonFinite, best }');
    }
    this.#cadence.load(saved.cadence as Record<string, unknown>);
    this.#monitor.nonFinite = Number(saved.nonFinite ?? 0);
    this.#best = (saved.best as Best | null | undefined) ?? undefined;
  }

  #request(reason: string | undefined, ...units: Unit[]): void {
    if (reason === undefined || !this.#saver) return;
    this.#due ??= { reason, units };
    this.ctx.requestCheckpoint(reason);
  }

  /** Not due by itself: saved only when it is one of the best. */
  #askForRanking(): void {
    if (this.#saver && this.#monitor.isValidated) this.ctx.requestCheckpoint(RANKING);
  }

  /** A stop takes effect at the next boundary. What is saved there is where an uninterrupted run would have been. */
  #stopped(reason: unknown): void {
    if (typeof reason !== 'string' || this.ctx.state.status === 'error') return;
    this.#stopReason = reason;
    if (!this.#saver || this.#saver.hasStopped || this.#isUnwanted(reason)) return;
    this.ctx.requestCheckpoint(reason);
  }

  #isUnwanted(stopReason: string | undefined): boolean {
    return !this.rules.saveOnSignal && isSignal(stopReason);
  }

  async #save(reason: string): Promise<void> {
    if (!this.#saver) {
      this.ctx.logger.warn(
        `A checkpoint was requested (${reason}), but the run has no folder to save it to. Give the hook a "dir".`,
      );
      return;
    }
    await this.#saver.save(() => this.#plan(reason));
  }

  /** Decides at the boundary, when the checkpoint before it stands; undefined when there is nothing to save. */
  #plan(reason: string): SavePlan | undefined {
    const { ctx, rules } = this;
    const { state } = ctx;
    const store = this.#store!;
    const due = this.#due;
    this.#due = undefined;
    this.#hasServedStop ||= this.#stopReason !== undefined;
    if (due) this.#cadence.mark(state, ...due.units);
    const rating = this.#hasFailed ? undefined : this.#monitor.rate();
    if (rating) this.#isRankingOwed = false;
    else if (due) this.#isRankingOwed = true;

    const { saved } = this.#saver!;
    if (saved.step === state.step && saved.completedEpochs === state.completedEpochs) return undefined;
    const { rivals } = store;
    const isBest = rating !== undefined && isAmongBest(rating.value, rivals, rules);
    // Where no metric was asked for and none was found, all are worth the same, and the newest are kept.
    const isUnranked = !rating && !rules.monitorIsNamed && ranked(rivals, rules).length === 0;
    const isLast = due !== undefined && (rules.saveLast || isUnranked);
    const isRequested = reason !== RANKING && reason !== due?.reason;
    if (!isBest && !isLast && !isRequested) return undefined;

    const metrics = this.#monitor.values;
    const values = { ...metrics, epoch: state.epoch + 1, step: state.step };
    const path = store.freePath(rules.filename(values));
    this.#noteBest(path, rating);
    return { reason: reason === RANKING && due ? due.reason : reason, path, rating, metrics };
  }

  /** Before the snapshot is taken: the checkpoint itself is part of what it knows. */
  #noteBest(path: string, rating: Rating | undefined): void {
    const { dir, rivals, nextSequence: sequence } = this.#store!;
    const [best] = ranked([...rivals, { path, rating, sequence }], this.rules);
    this.#best = best && { path: relative(dir, best.path), rating: best.rating! };
  }

  /** The best that a run before this one saved, when this one saves to another folder. */
  async #bestElsewhere(dir: string): Promise<Entry[]> {
    const { resumedFrom } = this.#origin;
    if (!this.#best || resumedFrom === undefined) return [];
    const path = resolve(dirname(resumedFrom), this.#best.path);
    if (dirname(path) === dir) return [];
    // It may be gone, or damaged: then it is none.
    const entry = await readEntry(path).catch(() => undefined);
    return entry ? [entry] : [];
  }

  async #checkSpace(): Promise<void> {
    const { ctx, rules } = this;
    const { dir, rivals } = this.#store!;
    // Those to be kept, the newest, and the one that is being written.
    const wanted = Math.max(rules.saveTopK, 0) + 2 - rivals.length;
    const problem = await spaceProblem(dir, ctx.state, Math.max(1, wanted));
    if (!problem) return;
    if (problem.isFatal && rules.onDiskFull === 'stop') {
      throw new HooklineError('CHECKPOINT_FOLDER', `There is no room for a checkpoint: ${problem.message}`);
    }
    ctx.logger.warn(`There may be no room for all checkpoints: ${problem.message}`);
  }

  /** What came to its end is not continued by `resume: 'auto'`. */
  async #markEnd(): Promise<void> {
    const { status } = this.ctx.state;
    const newest = this.#store?.newest;
    if (!newest || this.#saver!.hasFailed || this.#saver!.hasStopped) return;
    if (status !== 'completed' && status !== 'stopped') return;
    const stopReason = this.#stopReason;
    const ended = { status, ...(stopReason !== undefined && { stopReason }) };
    await markEnd(this.#store!.dir, newest.name, ended).catch((error) => {
      this.ctx.logger.warn(`How the run ended could not be noted: ${messageOf(error)}`);
    });
    if (isSignal(stopReason)) {
      this.ctx.logger.info(`Saved ${newest.path}. fit() with resume: 'auto' goes on from there.`);
    }
  }
}

function isSignal(stopReason: string | undefined): boolean {
  return /^SIG[A-Z]+$/.test(stopReason ?? '');
}
