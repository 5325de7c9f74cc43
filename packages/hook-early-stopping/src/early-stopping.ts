import {
  didYouMean,
  type EpochMetricsEvent,
  type Hook,
  type HookContext,
  HookFatalError,
  type OptionsSchema,
  type Snapshot,
} from '@hookline/hook-api';
import { judge, NO_RECORD, type StoppingRecord, short, type Verdict } from './judge.js';
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
  const { monitor, restoreBest, verbose } = rules;
  let record: StoppingRecord = NO_RECORD;
  let bestWeights: Snapshot['model'] | undefined;
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
    if (verdict.improved && restoreBest) bestWeights = (await ctx.snapshot({ include: 'model' })).model;
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

  const hook: Hook = {
    name: 'early-stopping',

    setup(_ctx, { stage }) {
      if (stage !== 'fit') return;
      record = NO_RECORD;
      bestWeights = undefined;
      hasWarned = hasChecked = hasValidated = false;
    },

    async teardown(ctx, { stage }) {
      if (stage !== 'fit') return;
      const model = bestWeights;
      bestWeights = undefined;
      if (model === undefined || ctx.state.status === 'error') return;
      await ctx.restore({ version: 1, model });
      ctx.logger.info(
        `Restored the weights of epoch ${record.bestEpoch! + 1}: ${monitor} ${short(record.best!)}.`,
      );
    },

    saveState: () => saveRecord(record, bestWeights),
    loadState(state) {
      const saved = loadRecord(state);
      record = saved.record;
      if (restoreBest) bestWeights = saved.weights;
    },
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

function describe(value: number, { improved, record }: Verdict, rules: EarlyStoppingRules): string {
  const { monitor, patience, baseline } = rules;
  if (record.wait === 0) return `${monitor} improved to ${short(value)}.`;
  const waited = `${record.wait} of ${patience} checks`;
  if (improved)
    return `${monitor} improved to ${short(value)}, not yet past the baseline ${baseline}: ${waited}.`;
  const best = record.best === undefined ? 'none' : short(record.best);
  return `${monitor} ${short(value)} is no improvement: ${waited}; best ${best}.`;
}
