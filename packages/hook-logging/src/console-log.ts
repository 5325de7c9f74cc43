import {
  type BatchEndEvent,
  defineOptions,
  type Hook,
  type HookContext,
  is,
  type Metrics,
  type OptionsSchema,
  when,
} from '@hookline/hook-api';
import {
  formatCount,
  formatDuration,
  formatMetrics,
  formatNumber,
  formatRate,
  formatSetting,
} from './format.js';
import { learningRates } from './learning-rates.js';
import { isMetricFilter, type MetricFilter, metricFilter } from './metric-filter.js';
import { consoleKey, writeAboveBar } from './terminal.js';

export interface ConsoleLogOptions {
  /** A line every so many batches. Default 10. */
  every?: number;
  /** The metrics to print, by name or glob. Default all. */
  metrics?: MetricFilter;
  /** Where lines go. Default standard output. */
  write?: (text: string) => void;
}

const schema = defineOptions<ConsoleLogOptions>('console-log', {
  every: is.integer({ min: 1 }),
  metrics: isMetricFilter,
  write: is.function,
});

/**
 * Prints the run as lines a person reads.
 *
 * @example consoleLog({ every: 50, metrics: ['train/loss', 'val/*'] })
 */
export const consoleLog: ((options?: ConsoleLogOptions) => Hook) & { readonly options: OptionsSchema } =
  Object.assign(createHook, { options: schema });

function createHook(options: ConsoleLogOptions = {}): Hook {
  schema.check(options);
  const { every = 10, write = (text: string) => void process.stdout.write(text) } = options;
  const select = metricFilter(options.metrics);
  let epochs: number | undefined;
  let batchesPerEpoch: number | undefined;
  let epochStart = 0;
  let isResumed = false;
  /** Where the rate of the next line is counted from; unknown when the hook came into the middle of an epoch. */
  let lastLine: { time: number; batch: number } | undefined;
  /** What other hooks logged, and a validation in mid-epoch, since the last line. */
  let news: Metrics = {};

  const print = (ctx: HookContext, ...parts: readonly string[]): void => {
    // Names and reasons come from data and plugins: they must not steer the terminal.
    const line = parts
      .filter(Boolean)
      .join('  ')
      .replace(/\p{Control}/gu, ' ');
    if (line !== '') writeAboveBar(ctx, () => write(`${line}\n`));
  };
  // What is logged when training is over comes after the last epoch, and belongs to it.
  const epochLabel = (epoch: number) => `epoch ${outOf(Math.min(epoch + 1, epochs ?? Infinity), epochs)}`;

  const printBatch = (ctx: HookContext, event: BatchEndEvent): void => {
    const here = { time: performance.now(), batch: event.batchIndex + 1 };
    const rate = lastLine && ((here.batch - lastLine.batch) * 1000) / (here.time - lastLine.time);
    lastLine = here;
    const rates = [...new Set(Object.values(learningRates(ctx.state.optimizers)).map(formatSetting))];
    print(
      ctx,
      epochLabel(ctx.state.epoch),
      `batch ${outOf(here.batch, batchesPerEpoch)}`,
      ...(event.skipped ? ['skipped'] : batchNumbers(select, event, ctx.state.avgLoss)),
      ...formatMetrics(select(news)),
      rates.length > 0 ? `lr ${rates.join(' ')}` : '',
      rate === undefined ? '' : formatRate(rate),
    );
    news = {};
  };

  return {
    name: 'console-log',

    setup() {
      epochs = batchesPerEpoch = lastLine = undefined;
      isResumed = false;
      news = {};
    },

    onTrainStart(ctx, event) {
      ({ epochs, batchesPerEpoch } = event);
      const { backend, modelParams, epoch, step } = ctx.state;
      isResumed = step > 0;
      print(
        ctx,
        `run ${ctx.run.id}`,
        `backend ${backend}`,
        `${formatCount(modelParams)} parameters`,
        `${formatCount(epochs)} epochs${batchesPerEpoch === undefined ? '' : ` of ${batchesPerEpoch} batches`}`,
        isResumed ? `from epoch ${epoch + 1}, step ${step}` : '',
      );
    },

    onEpochStart(ctx, { epoch }) {
      ctx.shared.set(consoleKey, { epoch });
      epochStart = performance.now();
      // The first epoch of a resumed run may begin with any batch.
      lastLine = isResumed ? undefined : { time: epochStart, batch: 0 };
      isResumed = false;
    },

    // Asked before the payload is built: a batch without a line reads nothing from the device.
    onTrainBatchEnd: when((ctx) => (ctx.state.batchIndex + 1) % every === 0, printBatch),

    onValidationEnd(ctx, { metrics }) {
      // In training these are for the epoch's line, or the next batch's when the epoch goes on.
      if (ctx.state.stage === 'fit') news = { ...news, ...metrics };
      else print(ctx, ...formatMetrics(select(metrics)));
    },

    onLog(ctx, { scope, epoch, values }) {
      if (scope === 'step') news = { ...news, ...values };
      else print(ctx, epochLabel(epoch), ...formatMetrics(select(values)));
    },

    onEpochEnd(ctx, { epoch, metrics }) {
      const seconds = (performance.now() - epochStart) / 1000;
      // The epoch's own numbers come first, and are right where both have a name.
      const shown = select({ ...metrics, ...news, ...metrics });
      print(ctx, epochLabel(epoch), ...formatMetrics(shown), formatDuration(seconds));
      news = {};
    },

    onTestEnd(ctx, { metrics }) {
      print(ctx, ...formatMetrics(select(metrics)));
    },

    onTrainEnd(ctx, { status, stopReason }) {
      print(ctx, `${status} ${progressOf(ctx)}${stopReason ? `: ${stopReason}` : ''}`);
    },

    onException(ctx, { error }) {
      print(ctx, `failed ${progressOf(ctx)}: ${error instanceof Error ? error.message : String(error)}`);
    },
  };
}

function batchNumbers(
  select: (metrics: Metrics) => Metrics,
  { loss, metrics }: BatchEndEvent & { skipped: false },
  average: number,
): string[] {
  const { 'train/loss': shownLoss, ...others } = select({ 'train/loss': loss, ...metrics });
  const numbers = Object.entries(others).map(
    ([name, value]) => `${name.replace(/^train\//, '')} ${formatNumber(value)}`,
  );
  if (shownLoss === undefined) return numbers;
  return [`loss ${formatNumber(shownLoss)}`, `avg ${formatNumber(average)}`, ...numbers];
}

function progressOf({ state }: HookContext): string {
  const { completedEpochs, step, elapsedSeconds } = state;
  const steps = `${formatCount(step)} ${step === 1 ? 'step' : 'steps'}`;
  const epochs = `${completedEpochs} ${completedEpochs === 1 ? 'epoch' : 'epochs'}`;
  return `after ${epochs}, ${steps}, ${formatDuration(elapsedSeconds)}`;
}

/** `3/10`, padded so that lines stay aligned; `3` when the total is unknown. */
function outOf(count: number, total: number | undefined): string {
  return total === undefined ? String(count) : `${String(count).padStart(String(total).length)}/${total}`;
}
