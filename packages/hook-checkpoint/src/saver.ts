import { basename } from 'node:path';
import { type HookContext, HooklineError, type Snapshot, type TrainingState } from '@hookline/hook-api';
import { finiteOrText } from '@hookline/hook-api/helpers';
import type { CheckpointInfo } from './checkpoint-info.js';
import type { CheckpointStore } from './checkpoint-store.js';
import { refuse } from './monitor.js';
import type { CheckpointRules } from './options.js';
import type { Rating } from './ranking.js';
import type { SaveJob, TensorGroup } from './save-job.js';
import type { SaveFailure, SaveOutcome } from './save-outcome.js';
import { fieldsOf, filesOf } from './snapshot-files.js';
import { StallMeter } from './stall-meter.js';
import { type TfjsModel, tfjsModelOf, topologyOf } from './tfjs-model.js';

/** Where training stood. */
export type Position = Pick<TrainingState, 'step' | 'completedEpochs'>;

export interface SavePlan {
  readonly reason: string;
  readonly path: string;
  readonly rating: Rating | undefined;
  /** Of the same moment. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** Saves one checkpoint at a time, and tells how it went at the next boundary of training. */
export class Saver {
  /** As of the newest checkpoint that stands. */
  saved: Position;
  /** The latest save failed. */
  hasFailed = false;
  /** A failure of the disk has stopped the run. */
  hasStopped = false;
  #inFlight: Promise<void> | undefined;
  #news: { plan: SavePlan; position: Position; outcome: SaveOutcome } | undefined;
  readonly #stall = new StallMeter();
  #warnedOfStall = false;
  /** They never change while a run lasts, and can be large. */
  readonly #topology: string | undefined;
  readonly #tfjs: TfjsModel | undefined;

  constructor(
    private readonly ctx: HookContext,
    private readonly rules: CheckpointRules,
    private readonly store: CheckpointStore,
    private readonly lineage: string,
  ) {
    this.saved = positionOf(ctx.state);
    if (rules.format === 'tfjs') this.#tfjs = tfjsModelOf(ctx.state);
    else this.#topology = topologyOf(ctx.state);
  }

  /** A save has come to its end, and nobody has been told yet. */
  get hasNews(): boolean {
    return this.#news !== undefined;
  }

  /** Has the plan made when nothing is in flight, takes the snapshot, and returns while it is being written. */
  async save(planning: () => SavePlan | undefined): Promise<void> {
    const began = performance.now();
    await this.settle();
    const plan = planning();
    if (!plan) return;
    const { reason, path } = plan;
    const snapshot = await this.ctx.snapshot({ checkpoint: { reason, path } });
    const position = positionOf(this.ctx.state);
    const writing = this.store.add(this.#jobFor(plan, snapshot));
    this.#inFlight = writing.then((outcome) => {
      this.#news = { plan, position, outcome };
    });
    if (!this.rules.async) await this.settle();
    this.#measure(performance.now() - began);
  }

  /** Waits for what is in flight, and tells. */
  async settle(): Promise<void> {
    await this.#inFlight;
    this.#inFlight = undefined;
    await this.tell();
  }

  /** Tells the others of a checkpoint that stands, and the user of one that does not. */
  async tell(): Promise<void> {
    const news = this.#news;
    this.#news = undefined;
    if (!news) return;
    const { plan, position, outcome } = news;
    this.hasFailed = !outcome.ok;
    if (!outcome.ok) return this.#handle(outcome.failure);
    this.saved = position;
    const { reason, path } = plan;
    this.ctx.logger.debug({ path, bytes: outcome.bytes, reason }, `Saved ${basename(path)}.`);
    await this.ctx.checkpointSaved({ reason, path });
  }

  #jobFor({ path, reason, rating, metrics }: SavePlan, snapshot: Snapshot): SaveJob {
    const { run, state } = this.ctx;
    const { epoch, completedEpochs, step } = state;
    const info: CheckpointInfo = {
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
      metrics: Object.fromEntries(
        Object.entries(metrics).map(([name, value]) => [name, finiteOrText(name, value) as number | string]),
      ),
      format: this.rules.format,
      fields: fieldsOf(snapshot),
    };
    const files = filesOf(snapshot, this.#topology, this.#tfjs);
    return { target: path, files, info, finite: this.rules.checkWeights ? this.#learning(snapshot) : {} };
  }

  /** The weights that learn: others may hold infinities on purpose, such as masks. */
  #learning({ model }: Snapshot): TensorGroup {
    const { parameters } = this.ctx.state;
    return Object.fromEntries(Object.entries(model).filter(([path]) => parameters[path]?.trainable));
  }

  #handle({ kind, message, code }: SaveFailure): void {
    const { ctx, rules } = this;
    if (kind === 'bug')
      throw new HooklineError('CHECKPOINT_SAVE', `A checkpoint could not be saved: ${message}`);
    if (kind === 'weights') {
      refuse(
        ctx,
        rules.onNonFinite,
        `The weights are not finite, and no checkpoint is made of them: ${message}.`,
      );
      return;
    }
    const stops = rules.onDiskFull === 'stop';
    ctx.logger.warn(
      { code },
      `A checkpoint could not be saved: ${message}. Older ones are as they were. ` +
        (stops ? 'The run ends, as onDiskFull says.' : 'Training goes on, and the next one will be tried.'),
    );
    if (!stops) return;
    this.hasStopped = true;
    ctx.stop(`checkpoint: ${code ?? 'a failure'} while saving`);
  }

  #measure(milliseconds: number): void {
    const { ms, percent } = this.#stall.add(milliseconds);
    this.ctx.log({ 'checkpoint/stall_ms': ms, 'checkpoint/stall_pct': percent });
    const { totalMs, totalPercent } = this.#stall;
    if (this.#warnedOfStall || totalMs < WORTH_A_WORD_MS || totalPercent < MOST_PERCENT) return;
    this.#warnedOfStall = true;
    this.ctx.logger.warn(
      `Checkpoints take ${totalPercent.toFixed(1)} % of the training's time. Save less often with "every".`,
    );
  }
}

function positionOf({ step, completedEpochs }: Position): Position {
  return { step, completedEpochs };
}

const MOST_PERCENT = 3.5;
/** Shares of short runs say nothing. */
const WORTH_A_WORD_MS = 10_000;
