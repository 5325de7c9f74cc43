import type { Loader } from '@hookline/data';
import { batchCount, batchesOf } from '@hookline/data';
import type { BatchEndEvent, BatchEvent, Metrics } from '@hookline/hook-api';
import { trainerError } from '../errors.js';
import { MetricTotals } from '../objective/metrics/metric-totals.js';
import type { Objective } from '../objective/objective.js';
import type { Run } from '../run/run.js';
import { breather } from './breathe.js';
import { checkBatch } from './check-batch.js';
import { disposeEvaluated, eventOf, forwardOnly, readForCheck } from './forward-backward.js';
import { loadRanks } from './load-ranks.js';
import { disposeBatch } from './transform-batch.js';

export interface EvaluationPlan {
  validation: readonly Loader[];
  objective: Objective;
  /** How many batches at most. */
  batches?: number;
}

const EVALUATION_EVENTS = {
  val: { start: 'onValidationBatchStart', end: 'onValidationBatchEnd', status: 'validating' },
  test: { start: 'onTestBatchStart', end: 'onTestBatchEnd', status: 'testing' },
} as const;

/**
 * Loss and metrics over the validation or test data, without training. With several loaders there are metrics for
 * each (`val/<loader>/loss`) and over all of them. `done` is called before the hooks are. A run that is stopped in the
 * middle has none: metrics of a part of the data would look like those of all of it.
 */
export async function evaluate(
  run: Run,
  prefix: 'val' | 'test',
  { validation: loaders, objective, batches = Infinity }: EvaluationPlan,
  done?: (metrics: Metrics) => void,
): Promise<Metrics | undefined> {
  const { start, end, status } = EVALUATION_EVENTS[prefix];
  const { state } = run;
  const { epoch, batchIndex } = state;
  const before = state.status;
  // One that is due although the run is to stop after it goes through.
  const wasStopped = run.ending.stopped;
  const all = new MetricTotals(prefix);
  const each = loaders.map(({ name }) => new MetricTotals(`${prefix}/${name}`));
  const breathe = breather();
  checkLoaderNames(loaders, objective);
  state.status = status;
  try {
    const total = () => atMost(batchCount(loaders), batches);
    if (prefix === 'val') await run.fire('onValidationStart', () => ({ epoch, batches: total() }));
    else await run.fire('onTestStart', () => ({ stage: 'test', batches: total() }));
    for await (const item of batchesOf(loaders, 0)) {
      let made: ReturnType<typeof forwardOnly> | undefined;
      try {
        if (run.ending.stopped && !wasStopped) return undefined;
        run.enterBatch(item.batchIndex);
        await run.fire(start, (): BatchEvent => eventOf(item));
        checkBatch(item, run.parts.trainable.shapes);
        const reading = readForCheck(run, objective, item);
        if (reading) await reading;
        run.updateTaps();
        made = forwardOnly(run, objective, item);
        if (run.world) {
          const { joinSums } = await loadRanks();
          made.sums = (await joinSums(run, run.world, item, made.sums))!.sums;
        }
        const { outputs, sums } = made;
        all.add(sums);
        if (each.length > 1) each[item.loaderIndex]!.add(sums);
        // The device is read here only when somebody due asks for this batch's numbers.
        await run.fire(end, async (): Promise<BatchEndEvent> => {
          const { loss, metrics } = await all.readBatch(sums);
          const asked = run.needsOutputs(end) ? outputs : undefined;
          return { ...eventOf(item), skipped: false, loss, metrics, outputs: asked };
        });
      } finally {
        if (made) disposeEvaluated(made);
        disposeBatch(item);
      }
      if (item.batchIndex + 1 >= batches) break;
      await breathe();
    }
    // The running means are read here, once for each loader.
    const metrics = await all.read();
    if (each.length > 1) for (const totals of each) Object.assign(metrics, await totals.read());
    run.noteMetrics(metrics);
    done?.(metrics);
    if (prefix === 'val') await run.fire('onValidationEnd', () => ({ epoch, metrics: { ...metrics } }));
    else await run.fire('onTestEnd', () => ({ metrics: { ...metrics } }));
    return metrics;
  } finally {
    for (const totals of [all, ...each]) totals.dispose();
    Object.assign(state, { status: before, batchIndex });
  }
}

/** `val/animal/loss` is of a loader, or of an output. */
function checkLoaderNames(loaders: readonly Loader[], { metricNames }: Objective): void {
  if (loaders.length < 2) return;
  const taken = loaders.find(({ name }) => metricNames.some((metric) => metric.startsWith(`${name}/`)));
  if (!taken) return;
  throw trainerError(
    'BAD_DATA',
    `Loader "${taken.name}" has the name of an output of the model, so that their metrics would clash. Rename the loader.`,
  );
}

function atMost(count: number | undefined, limit: number): number | undefined {
  return count === undefined ? undefined : Math.min(count, limit);
}
