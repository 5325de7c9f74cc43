import type {
  EpochMetricsEvent,
  HookContext,
  HookState,
  LoadedHookState,
  Snapshot,
} from '@hookline/hook-api';
import { isBetter, missingMetric, shortNumber, snapshotMetrics } from '@hookline/hook-api/helpers';
import { BestInCheckpoint, BestInMemory, type BestWeights } from './best-weights.js';
import { metricRequired } from './errors.js';
import { judge, NO_RECORD, type StoppingRecord, type Verdict } from './judge.js';
import type { EarlyStoppingRules } from './options.js';
import { loadRecord, saveRecord } from './saved-record.js';

/** The checks of one fit: when one is made, what it finds, and which weights are brought back in the end. */
export class StoppingSession {
  #record: StoppingRecord = NO_RECORD;
  #best: BestWeights | undefined;
  #hasChecked = false;
  #hasWarned = false;
  /** Since the end of the last epoch. */
  #hasValidated = false;

  constructor(private readonly rules: EarlyStoppingRules) {
    this.#best = bestWeightsFor(rules);
  }

  /** For `restoreBest: 'checkpoint'`. */
  trainingStarted({ checkpoints, hook, logger }: HookContext): void {
    if (checkpoints) return;
    logger.warn(
      `${hook} has the option restoreBest: 'checkpoint', but no hook saves checkpoints ` +
        '(npm install @hookline/hook-checkpoint). The best weights are kept in memory instead.',
    );
    this.#best = new BestInMemory();
  }

  async validated(ctx: HookContext, event: EpochMetricsEvent): Promise<void> {
    this.#hasValidated = true;
    if (!this.rules.checkOnTrainEpochEnd) await this.#check(ctx, event);
  }

  async epochEnded(ctx: HookContext, event: EpochMetricsEvent): Promise<void> {
    const { monitor, checkOnTrainEpochEnd } = this.rules;
    const hasValidated = this.#hasValidated;
    this.#hasValidated = false;
    if (!checkOnTrainEpochEnd) return this.#warnWithoutValidation(ctx);
    // What the validation of an earlier epoch found is not counted again.
    const isOld = monitor.startsWith('val/') && !hasValidated && monitor in ctx.metrics;
    if (!isOld) await this.#check(ctx, event);
  }

  noteCheckpoint(ctx: HookContext, path: string): void {
    this.#best?.noteCheckpoint?.(ctx, path);
  }

  /** Brings the best weights back, unless the run failed: then it keeps those it failed with. */
  async ended(ctx: HookContext): Promise<void> {
    const best = this.#best;
    this.#best = bestWeightsFor(this.rules);
    if (!best || ctx.state.status === 'error') return;
    const restored = await best.restore(ctx, this.#isAsGood);
    if (!restored) return;
    const { best: value, bestEpoch } = this.#record;
    const which = restored.isOther ? 'weights as good as those' : 'the weights';
    const from = restored.from === undefined ? '' : `, from ${restored.from}`;
    ctx.logger.info(
      `Restored ${which} of epoch ${bestEpoch! + 1}: ${this.rules.monitor} ${shortNumber(value!)}${from}.`,
    );
  }

  save(): HookState {
    return saveRecord(this.#record, this.#best?.save() ?? {});
  }

  load(hook: string, state: LoadedHookState): void {
    const { record, best } = loadRecord(hook, state);
    this.#record = record;
    this.#best?.load(best);
  }

  async #check(ctx: HookContext, { epoch, metrics }: EpochMetricsEvent): Promise<void> {
    // A validate() that the user calls is not part of training.
    if (ctx.state.stage !== 'fit') return;
    const { monitor, verbose } = this.rules;
    this.#hasChecked = true;
    const value = metrics[monitor] ?? ctx.metrics[monitor];
    if (value === undefined) return this.#reportMissing(ctx);
    const verdict = judge(this.#record, value, epoch, this.rules);
    // Copied before the record changes: if the copy fails, the old best and its weights still belong together.
    if (verdict.improved) await this.#best?.keep(ctx, `${ctx.hook}: best ${monitor}, ${shortNumber(value)}`);
    this.#record = verdict.record;
    if (verbose) ctx.logger.info(describe(value, verdict, this.rules));
    if (verdict.reason !== undefined) ctx.stop(`${ctx.hook}: ${verdict.reason}`);
  }

  #reportMissing({ hook, metrics, signal, logger }: HookContext): void {
    // A run that is being stopped leaves its last validation out.
    if (signal.aborted) return;
    const message = missingMetric(hook, this.rules.monitor, Object.keys(metrics));
    if (this.rules.strict) throw metricRequired(message);
    if (!this.#hasWarned) logger.warn(`${message} Waiting for it.`);
    this.#hasWarned = true;
  }

  /** Without validation no check is ever made: better to know after one epoch than after a hundred. */
  #warnWithoutValidation({ hook, metrics, signal, logger }: HookContext): void {
    if (this.#hasChecked || this.#hasWarned || signal.aborted) return;
    this.#hasWarned = true;
    logger.warn(
      `${hook} checks "${this.rules.monitor}" after validation, and there was none in this epoch. ` +
        `Metrics so far: ${Object.keys(metrics).join(', ') || 'none'}. Pass validation data, or monitor a metric ` +
        'of training.',
    );
  }

  /** By the metric as it was when the snapshot was taken. */
  readonly #isAsGood = (snapshot: Snapshot): boolean => {
    const { monitor, mode } = this.rules;
    const { best } = this.#record;
    const value = snapshotMetrics(snapshot)[monitor];
    if (value === undefined) return false;
    return value === best || isBetter(value, best, { mode, minDelta: 0 });
  };
}

function bestWeightsFor({ restoreBest, checkOnTrainEpochEnd }: EarlyStoppingRules): BestWeights | undefined {
  if (restoreBest === false) return undefined;
  return restoreBest === 'memory' ? new BestInMemory() : new BestInCheckpoint(!checkOnTrainEpochEnd);
}

function describe(value: number, { improved, record }: Verdict, rules: EarlyStoppingRules): string {
  const { monitor, patience, baseline } = rules;
  if (record.wait === 0) return `${monitor} improved to ${shortNumber(value)}.`;
  const waited = `${record.wait} of ${patience} checks`;
  if (improved)
    return `${monitor} improved to ${shortNumber(value)}, not yet past the baseline ${baseline}: ${waited}.`;
  const best = record.best === undefined ? 'none' : shortNumber(record.best);
  return `${monitor} ${shortNumber(value)} is not an improvement: ${waited}; best ${best}.`;
}
