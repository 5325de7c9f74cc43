import {
  didYouMean,
  type EpochMetricsEvent,
  type Hook,
  type HookContext,
  HookFatalError,
  type OptionsSchema,
  type Snapshot,
} from '@hookline/hook-api';
import { isBetter, shortNumber } from '@hookline/hook-api/helpers';
import { BestInCheckpoint, BestInMemory, type BestWeights } from './best-weights.js';
import { judge, NO_RECORD, type StoppingRecord, type Verdict } from './judge.js';
import { type EarlyStoppingOptions, type EarlyStoppingRules, rulesOf, schema } from './options.js';
import { loadRecord, saveRecord } from './saved-record.js';

/**
 * Stops the run when a metric stops improving, and says why.
 *
 * @example earlyStopping({ monitor: 'val/accuracy', mode: 'max', patience: 5, restoreBest: true })
 */
export const earlyStopping: ((options?: EarlyStoppingOptions) => Hook) & { readonly options: OptionsSchema } =
  Object.assign((options: EarlyStoppingOptions = {}): Hook => createHook(rulesOf(options)), {
    options: schema,
  });

function createHook(rules: EarlyStoppingRules): Hook {
  const { monitor, mode, restoreBest, verbose } = rules;
  let record: StoppingRecord = NO_RECORD;
  let kept = keeperOf(rules);
  let hasWarned = false;
  let hasChecked = false;
  /** Since the end of the last epoch. */
  let hasValidated = false;

  const check = async (ctx: HookContext, { epoch, metrics }: EpochMetricsEvent): Promise<void> => {
    // A validate() of its own is no part of training.
    if (ctx.state.stage !== 'fit') return;
    hasChecked = true;
    const value = metrics[monitor] ?? ctx.metrics[monitor];
    if (value === undefined) return reportMissing(ctx);
    const verdict = judge(record, value, epoch, rules);
    // Copied before the record changes: should the copy fail, the old best and its weights still belong together.
    if (verdict.improved) await kept?.keep(ctx, `early-stopping: best ${monitor}, ${shortNumber(value)}`);
    record = verdict.record;
    if (verbose) ctx.logger.info(describe(value, verdict, rules));
    if (verdict.reason !== undefined) ctx.stop(`early-stopping: ${verdict.reason}`);
  };

  const reportMissing = (ctx: HookContext): void => {
    // A run that is being stopped leaves its last validation out.
    if (ctx.signal.aborted) return;
    const names = Object.keys(ctx.metrics);
    const message =
      `early-stopping monitors "${monitor}", but there is no such metric.${didYouMean(monitor, names)} ` +
      `Metrics there are: ${names.join(', ') || 'none'}.`;
    if (rules.strict) {
      throw new HookFatalError(`${message} Set "monitor" to one of them, or strict: false to wait for it.`);
    }
    if (!hasWarned) ctx.logger.warn(`${message} Waiting for it.`);
    hasWarned = true;
  };

  // Without validation no check is ever made: better said after one epoch than found out after a hundred.
  const warnWithoutValidation = (ctx: HookContext): void => {
    if (hasChecked || hasWarned || ctx.signal.aborted) return;
    hasWarned = true;
    ctx.logger.warn(
      `early-stopping checks "${monitor}" after validation, and there was none in this epoch. ` +
        `Metrics there are: ${Object.keys(ctx.metrics).join(', ') || 'none'}. Give validation data, or monitor a ` +
        'metric of training.',
    );
  };

  const noteCheckpoint = (ctx: HookContext, { path }: { path: string }): void => {
    kept?.noteCheckpoint?.(ctx, path);
  };

  /** By the metric as it was when the snapshot was taken. */
  const isAsGood = ({ state }: Snapshot): boolean => {
    const value = Number((state?.metrics as Record<string, unknown> | undefined)?.[monitor]);
    return isBetter(value, record.best, { mode, minDelta: 0 }) || value === record.best;
  };

  const hook: Hook = {
    name: 'early-stopping',

    setup(_ctx, { stage }) {
      if (stage !== 'fit') return;
      record = NO_RECORD;
      kept = keeperOf(rules);
      hasWarned = hasChecked = hasValidated = false;
    },

    async teardown(ctx, { stage }) {
      if (stage !== 'fit') return;
      const best = kept;
      kept = keeperOf(rules);
      if (!best || ctx.state.status === 'error') return;
      const restored = await best.restore(ctx, isAsGood);
      if (!restored) return;
      const which = restored.isOther ? 'weights as good as those' : 'the weights';
      const from = restored.from === undefined ? '' : `, from ${restored.from}`;
      ctx.logger.info(
        `Restored ${which} of epoch ${record.bestEpoch! + 1}: ${monitor} ${shortNumber(record.best!)}${from}.`,
      );
    },

    saveState: () => saveRecord(record, kept?.save() ?? {}),
    loadState(state) {
      const saved = loadRecord(state);
      record = saved.record;
      kept?.load(saved.kept);
    },

    ...(restoreBest === 'checkpoint' && {
      onTrainStart(ctx) {
        if (ctx.checkpoints) return;
        ctx.logger.warn(
          "early-stopping was told restoreBest: 'checkpoint', but no hook saves checkpoints " +
            '(npm install @hookline/hook-checkpoint). The best weights are kept in memory instead.',
        );
        kept = new BestInMemory();
      },
      onBeforeCheckpointSave: noteCheckpoint,
      onCheckpointLoad: noteCheckpoint,
    }),
  };

  if (!rules.checkOnTrainEpochEnd)
    return { ...hook, onValidationEnd: check, onEpochEnd: warnWithoutValidation };
  return {
    ...hook,
    onValidationEnd() {
      hasValidated = true;
    },
    onEpochEnd(ctx, event) {
      // What an earlier epoch's validation found is no news: it is not counted again.
      const isOld = monitor.startsWith('val/') && !hasValidated && monitor in ctx.metrics;
      hasValidated = false;
      return isOld ? undefined : check(ctx, event);
    },
  };
}

function keeperOf({ restoreBest, checkOnTrainEpochEnd }: EarlyStoppingRules): BestWeights | undefined {
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
  return `${monitor} ${shortNumber(value)} is no improvement: ${waited}; best ${best}.`;
}
