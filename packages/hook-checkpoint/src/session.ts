import type { HookContext, JsonValue, LoadedHookState, Metrics, TrainingState } from '@hookline/hook-api';
import { foreignState, messageOf } from '@hookline/hook-api/helpers';
import { dirname } from '@hookline/host';
import { checkpointError } from './errors.js';
import { CheckpointStore } from './folder/checkpoint-store.js';
import { clearOrphans } from './folder/clear-orphans.js';
import { folderNameOf } from './folder/folder-name.js';
import { spaceProblem } from './folder/preflight.js';
import { markEnd } from './folder/run-end.js';
import type { CheckpointRules } from './options.js';
import { BestSoFar } from './rank/best-so-far.js';
import { Monitor } from './rank/monitor.js';
import { isAmongBest, type Rating, ranked } from './rank/ranking.js';
import type { Check, Found } from './resume/find-checkpoint.js';
import { Origin } from './resume/origin.js';
import { joinProvider, type Participant } from './resume/provider.js';
import { Cadence, type Unit } from './save/cadence.js';
import { CheckpointWriter } from './save/checkpoint-writer.js';
import { type SavePlan, Saver } from './save/saver.js';

/** The reason of a save that is asked for because a validation has found how good its checkpoint is. */
const RANKING = 'validation';

/** What the cadence asks for. */
interface Due {
  readonly reason: string;
  readonly units: readonly Unit[];
}

/** The checkpoints of one fit: when to save, what is worth keeping, and what happens at the start and at the end. */
export class CheckpointSession implements Participant {
  isClosed = false;
  readonly #origin: Origin;
  readonly #cadence: Cadence;
  readonly #monitor: Monitor;
  readonly #writer: CheckpointWriter;
  #store: CheckpointStore | undefined;
  #saver: Saver | undefined;
  readonly #best = new BestSoFar();
  /** The reasons with which the trainer was asked for a save since the last one. */
  readonly #asked = new Set<string>();
  /** Until the boundary. */
  #due: Due | undefined;
  /** A checkpoint was due when one of its metrics was not known: the next validation ranks. */
  #isRankingOwed = false;
  /** What ended the run early. */
  #stopReason: string | undefined;
  #hasServedStop = false;
  #hasFailed = false;
  readonly #onAbort = (): void => this.#stopped(this.ctx.signal.reason);

  constructor(
    private readonly ctx: HookContext,
    private readonly rules: CheckpointRules,
  ) {
    this.#origin = new Origin(ctx, rules);
    this.#cadence = new Cadence(rules.every);
    this.#monitor = new Monitor(ctx, rules);
    this.#writer = new CheckpointWriter(rules.async, ctx.logger);
    joinProvider(ctx, this);
    ctx.signal.addEventListener('abort', this.#onAbort);
  }

  get hook(): string {
    return this.ctx.hook;
  }

  hasAsked(reason: string): boolean {
    return this.#asked.has(reason);
  }

  find(which: string, check?: Check): Promise<Found | undefined> {
    return this.#origin.find(which, check);
  }

  async save(reason: string, isForAll: boolean): Promise<void> {
    const [ownReason] = this.#asked;
    const isOwn = this.#asked.has(reason);
    this.#asked.clear();
    if (isForAll || isOwn) await this.#save(reason);
    else if (ownReason !== undefined) await this.#save(ownReason);
  }

  resumed(which: string, path: string): Promise<void> {
    return this.#origin.resumed(which, path);
  }

  /** Before the first epoch: a folder that cannot be written to, or has no room, is found now. */
  async open(): Promise<void> {
    const { ctx, rules } = this;
    const lock = await this.#origin.takeLock();
    const { dir, lineage, resumedFrom } = this.#origin;
    if (dir === undefined) {
      ctx.logger.debug('No checkpoints are saved: the run has no folder, and "dir" is not set.');
      return;
    }
    const elsewhere = await this.#best.outside(dir, this.#origin.earlierDirs);
    const { logger } = ctx;
    const { monitors } = rules;
    this.#store = await CheckpointStore.open({
      ...{ dir, monitors, lineage, resumedFrom, elsewhere, lock, logger },
      writer: this.#writer,
    });
    this.#saver = new Saver(ctx, rules, this.#store, lineage);
    if (rules.dir === undefined) await this.#clearOrphans();
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
    await this.#saver?.report();
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
    this.isClosed = true;
    this.ctx.signal.removeEventListener('abort', this.#onAbort);
    try {
      await this.#saver?.settle();
      this.#reportNothingSaved();
      await this.#markEnd();
    } finally {
      await (await this.#origin.takeLock())?.release();
      await this.#store?.close();
      await this.#writer.close();
    }
  }

  saveState(): { [part: string]: JsonValue } {
    return { cadence: this.#cadence.save(), nonFinite: this.#monitor.nonFinite, best: this.#best.save() };
  }

  loadState(state: LoadedHookState): void {
    if (state === null) return; // saved while the hook was off
    const saved = Object(state) as { cadence?: unknown; nonFinite?: unknown; best?: unknown };
    if (typeof saved.cadence !== 'object' || saved.cadence === null || !this.#best.load(saved.best)) {
      throw foreignState(this.hook, state, '{ cadence, nonFinite, best }');
    }
    this.#cadence.load(saved.cadence as Record<string, unknown>);
    this.#monitor.nonFinite = Number(saved.nonFinite ?? 0);
  }

  #request(reason: string | undefined, ...units: Unit[]): void {
    if (reason === undefined || !this.#saver) return;
    this.#due ??= { reason, units };
    this.#ask(reason);
  }

  #ask(reason: string): void {
    this.#asked.add(reason);
    this.ctx.requestCheckpoint(reason);
  }

  /** Not due by itself: saved only when it is one of the best. */
  #askForRanking(): void {
    if (this.#saver && this.#monitor.isValidated) this.#ask(RANKING);
  }

  /** A stop takes effect at the next boundary. What is saved there is what an uninterrupted run would have had. */
  #stopped(reason: unknown): void {
    if (typeof reason !== 'string' || this.ctx.state.status === 'error') return;
    this.#stopReason = reason;
    if (!this.#saver || this.#saver.hasStopped || this.#isUnwanted(reason)) return;
    this.#ask(reason);
  }

  #isUnwanted(stopReason: string | undefined): boolean {
    return !this.rules.saveOnSignal && isSignal(stopReason);
  }

  async #save(reason: string): Promise<void> {
    if (!this.#saver) {
      this.ctx.logger.warn(
        `A checkpoint was requested (${reason}), but the run has no folder to save it to. Set "dir" of the hook.`,
      );
      return;
    }
    await this.#saver.save(() => this.#plan(reason));
  }

  /** Decides at the boundary, when the save before it has finished; undefined when there is nothing to save. */
  #plan(reason: string): SavePlan | undefined {
    const { state } = this.ctx;
    const due = this.#due;
    this.#due = undefined;
    this.#hasServedStop ||= this.#stopReason !== undefined;
    if (due) this.#cadence.mark(state, ...due.units);
    const ratings = this.#rate(due);
    const { saved } = this.#saver!;
    if (saved.step === state.step && saved.completedEpochs === state.completedEpochs) return undefined;
    if (!this.#isWanted(reason, due, ratings)) return undefined;

    const store = this.#store!;
    const metrics = this.#monitor.values;
    const values = { ...metrics, epoch: state.epoch + 1, step: state.step };
    const path = store.freePath(this.rules.filename(values));
    // Before the snapshot is taken: the checkpoint itself is part of what it knows.
    const candidate = { path, ratings, sequence: store.nextSequence };
    this.#best.note(store.dir, [...store.rivals, candidate], this.rules.monitors);
    return { reason: reason === RANKING && due ? due.reason : reason, path, ratings, metrics };
  }

  #rate(due: Due | undefined): Rating[] {
    const ratings = this.#hasFailed ? [] : this.#monitor.rate();
    if (ratings.length === this.rules.monitors.length) this.#isRankingOwed = false;
    else if (due) this.#isRankingOwed = true;
    return ratings;
  }

  #isWanted(reason: string, due: Due | undefined, ratings: readonly Rating[]): boolean {
    const { monitors, monitorIsNamed, saveLast } = this.rules;
    const { rivals } = this.#store!;
    if (monitors.some((rule) => isAmongBest(ratings, rivals, rule))) return true;
    // If no metric was asked for and none was found, there is nothing to rank by, and the newest are kept.
    const nothingRanks = () => monitors.every((rule) => ranked(rivals, rule).length === 0);
    const isUnranked = ratings.length === 0 && !monitorIsNamed && nothingRanks();
    if (due && (saveLast || isUnranked)) return true;
    // Somebody asked for it.
    return reason !== RANKING && reason !== due?.reason;
  }

  async #clearOrphans(): Promise<void> {
    const { run, hook, logger } = this.ctx;
    if (run.dir === undefined) return;
    const count = await clearOrphans(dirname(run.dir), folderNameOf(hook));
    if (count > 0) logger.info(`Cleared ${count} unfinished checkpoints of runs that were killed.`);
  }

  async #checkSpace(): Promise<void> {
    const { ctx, rules } = this;
    const { dir, rivals } = this.#store!;
    const best = rules.monitors.reduce((sum, { saveTopK }) => sum + Math.max(saveTopK, 0), 0);
    // The best, the newest, and the one that is being written.
    const wanted = best + 2 - rivals.length;
    const problem = await spaceProblem(dir, ctx.state, Math.max(1, wanted));
    if (!problem) return;
    if (problem.isFatal && rules.onDiskFull === 'stop') {
      throw checkpointError('CHECKPOINT_FOLDER', `There is no room for a checkpoint: ${problem.message}`);
    }
    ctx.logger.warn(`There may be no room for all checkpoints: ${problem.message}`);
  }

  /** Training was worth its while, but whoever relies on its checkpoints must learn that there are none. */
  #reportNothingSaved(): void {
    if (!this.#saver?.hasSavedNothing) return;
    const message = `Every attempt to save failed: the run leaves no checkpoint in ${this.#store!.dir}.`;
    this.ctx.logger.error(message);
    this.ctx.markFailed(`${this.hook}: ${message}`);
  }

  /** A run that is finished is not continued by `resume: 'auto'`. */
  async #markEnd(): Promise<void> {
    const { status } = this.ctx.state;
    const newest = this.#store?.newest;
    if (!newest || this.#saver!.hasFailed || this.#saver!.hasStopped) return;
    if (status !== 'completed' && status !== 'stopped') return;
    const stopReason = this.#stopReason;
    const ended = { status, ...(stopReason !== undefined && { stopReason }) };
    await markEnd(this.#store!.dir, newest.name, ended).catch((error) => {
      this.ctx.logger.warn(
        `How the run ended could not be written to ${this.#store!.dir}: ${messageOf(error)}`,
      );
    });
    if (isSignal(stopReason)) {
      this.ctx.logger.info(`Saved ${newest.path}. fit() with resume: 'auto' continues from there.`);
    }
  }
}

function isSignal(stopReason: string | undefined): boolean {
  return /^SIG[A-Z]+$/.test(stopReason ?? '');
}
