import type { HookContext, Snapshot, TrainingState } from '@hookline/hook-api';
import { finiteOrText } from '@hookline/hook-api/helpers';
import { basename } from '@hookline/host';
import { checkpointError } from '../errors.js';
import type { CheckpointInfo } from '../folder/checkpoint-info.js';
import type { CheckpointStore } from '../folder/checkpoint-store.js';
import { fieldsOf, filesOf } from '../format/snapshot-files.js';
import { type TfjsModel, tfjsModelOf, topologyOf } from '../format/tfjs-model.js';
import type { CheckpointRules } from '../options.js';
import { refuse } from '../rank/monitor.js';
import { type Rating, ratingBy } from '../rank/ranking.js';
import type { SaveJob, TensorGroup } from './save-job.js';
import type { SaveFailure, SaveOutcome } from './save-outcome.js';
import { StallMeter } from './stall-meter.js';

/** How far training was. */
type Progress = Pick<TrainingState, 'step' | 'completedEpochs'>;

export interface SavePlan {
  readonly reason: string;
  readonly path: string;
  readonly ratings: readonly Rating[];
  /** The values at that moment. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** Saves one checkpoint at a time, and reports how it went at the next boundary of training. */
export class Saver {
  /** As of the newest checkpoint that is complete. */
  saved: Progress;
  /** The latest save failed. */
  hasFailed = false;
  /** A failure of the disk has stopped the run. */
  hasStopped = false;
  #inFlight: Promise<void> | undefined;
  #news: { plan: SavePlan; progress: Progress; outcome: SaveOutcome } | undefined;
  readonly #stall = new StallMeter();
  #warnedOfStall = false;
  #successes = 0;
  #failures = 0;
  /** They do not change during a run, and can be large. */
  readonly #topology: string | undefined;
  readonly #tfjs: TfjsModel | undefined;

  constructor(
    private readonly ctx: HookContext,
    private readonly rules: CheckpointRules,
    private readonly store: CheckpointStore,
    private readonly lineage: string,
  ) {
    this.saved = progressOf(ctx.state);
    if (rules.format === 'tfjs') this.#tfjs = tfjsModelOf(ctx.state);
    else this.#topology = topologyOf(ctx.state);
  }

  /** A save has finished and was not reported yet. */
  get hasNews(): boolean {
    return this.#news !== undefined;
  }

  /** Nothing is in flight any more. Whether the run leaves no checkpoint, though it was to save some. */
  get hasSavedNothing(): boolean {
    return this.#failures > 0 && this.#successes === 0;
  }

  /** Plans when nothing is in flight any more, takes the snapshot, and returns while it is being written. */
  async save(planning: () => SavePlan | undefined): Promise<void> {
    const began = performance.now();
    await this.settle();
    const plan = planning();
    if (!plan) return;
    const { reason, path } = plan;
    const snapshot = await this.ctx.snapshot({ checkpoint: { reason, path } });
    const progress = progressOf(this.ctx.state);
    const writing = this.store.add(this.#jobFor(plan, snapshot));
    this.#inFlight = writing.then((outcome) => {
      this.#news = { plan, progress, outcome };
    });
    if (!this.rules.async) await this.settle();
    this.#measure(performance.now() - began);
  }

  /** Waits for what is in flight, and reports it. */
  async settle(): Promise<void> {
    await this.#inFlight;
    this.#inFlight = undefined;
    await this.report();
  }

  /** Announces a checkpoint that is complete to other hooks, and a failure to the user. */
  async report(): Promise<void> {
    const news = this.#news;
    this.#news = undefined;
    if (!news) return;
    const { plan, progress, outcome } = news;
    this.hasFailed = !outcome.ok;
    if (!outcome.ok) {
      this.#failures++;
      return this.#handle(outcome.failure);
    }
    this.#successes++;
    this.saved = progress;
    const { reason, path } = plan;
    this.ctx.logger.debug({ path, bytes: outcome.bytes, reason }, `Saved ${basename(path)}.`);
    await this.ctx.checkpointSaved({ reason, path });
  }

  #jobFor(plan: SavePlan, snapshot: Snapshot): SaveJob {
    const files = filesOf(snapshot, this.#topology, this.#tfjs);
    const finite = this.rules.checkWeights ? this.#learning(snapshot) : {};
    return { target: plan.path, files, info: this.#infoOf(plan, snapshot), finite };
  }

  #infoOf({ reason, ratings, metrics }: SavePlan, snapshot: Snapshot): CheckpointInfo {
    const { run, state } = this.ctx;
    const { monitors, format } = this.rules;
    const rating = ratingBy(monitors[0]!, { ratings });
    const { epoch, completedEpochs, step } = state;
    return {
      kind: 'hookline-checkpoint',
      version: 1,
      sequence: this.store.nextSequence,
      lineage: this.lineage,
      run: run.id,
      experiment: run.experiment,
      savedAt: new Date().toISOString(),
      reason,
      epoch,
      completedEpochs,
      step,
      ...(rating && { rating }),
      ...(monitors.length > 1 && { ratings }),
      metrics: Object.fromEntries(
        Object.entries(metrics).map(([name, value]) => [name, finiteOrText(name, value) as number | string]),
      ),
      format,
      fields: fieldsOf(snapshot),
    };
  }

  /** The weights that learn: others may hold infinities on purpose, such as masks. */
  #learning({ model }: Snapshot): TensorGroup {
    const { parameters } = this.ctx.state;
    return Object.fromEntries(Object.entries(model).filter(([path]) => parameters[path]?.trainable));
  }

  #handle({ kind, message, code }: SaveFailure): void {
    const { ctx, rules } = this;
    if (kind === 'bug')
      throw checkpointError('CHECKPOINT_SAVE', `A checkpoint could not be saved: ${message}`);
    if (kind === 'weights') {
      refuse(ctx, rules.onNonFinite, `The weights are not finite and were not saved: ${message}.`);
      return;
    }
    const stops = rules.onDiskFull === 'stop';
    ctx.logger.warn(
      { code },
      `A checkpoint could not be saved: ${message}. Older ones are as they were. ` +
        (stops ? "The run stops, because onDiskFull is 'stop'." : 'Training continues without it.'),
    );
    if (!stops) return;
    this.hasStopped = true;
    const reason = `${ctx.hook}: ${code ?? 'a failure'} while saving`;
    ctx.markFailed(reason);
    ctx.stop(reason);
  }

  #measure(milliseconds: number): void {
    const { ms, percent } = this.#stall.add(milliseconds);
    const { hook } = this.ctx;
    this.ctx.log({ [`${hook}/stall_ms`]: ms, [`${hook}/stall_pct`]: percent });
    const { totalMs, totalPercent } = this.#stall;
    if (this.#warnedOfStall || totalMs < WORTH_A_WORD_MS || totalPercent < MOST_PERCENT) return;
    this.#warnedOfStall = true;
    this.ctx.logger.warn(
      `Training waits for checkpoints ${totalPercent.toFixed(1)} % of the time. Save less often with "every".`,
    );
  }
}

function progressOf({ step, completedEpochs }: Progress): Progress {
  return { step, completedEpochs };
}

const MOST_PERCENT = 3.5;
/** The share of a short run means nothing. */
const WORTH_A_WORD_MS = 10_000;
