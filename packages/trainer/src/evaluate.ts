import type { BatchEndEvent, BatchEvent } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { disposeBatch } from './batch-transform.js';
import { breather } from './breathe.js';
import { checkBatch } from './check-batch.js';
import { batchCount, batchesOf } from './data/batches.js';
import type { Loader } from './data/loader.js';
import { eventOf, forwardOnly, type Objective } from './forward-backward.js';
import { MetricTotals } from './metrics/metric-totals.js';
import type { Run } from './run.js';

export interface EvaluationPlan {
  validation: readonly Loader[];
  objective: Objective;
  /** How many batches at most. */
  batches?: number;
}

const EVENTS = {
  val: { start: 'onValidationBatchStart', end: 'onValidationBatchEnd', status: 'validating' },
  test: { start: 'onTestBatchStart', end: 'onTestBatchEnd', status: 'testing' },
} as const;

/**
 * Loss and metrics over the validation or test data, without training. With several loaders there are metrics for
 * each (`val/<loader>/loss`) and over all of them.
 */
export async function evaluate(
  run: Run,
  prefix: 'val' | 'test',
  { validation: loaders, objective, batches = Infinity }: EvaluationPlan,
): Promise<Record<string, number>> {
  const { start, end, status } = EVENTS[prefix];
  const { state } = run;
  const { epoch, batchIndex } = state;
  const before = state.status;
  const all = new MetricTotals(objective.metrics, prefix);
  const each = loaders.map(({ name }) => new MetricTotals(objective.metrics, `${prefix}/${name}`));
  const breathe = breather();
  state.status = status;
  try {
    const total = () => atMost(batchCount(loaders), batches);
    if (prefix === 'val') await run.fire('onValidationStart', () => ({ epoch, batches: total() }));
    else await run.fire('onTestStart', () => ({ stage: 'test', batches: total() }));
    for await (const item of batchesOf(loaders, 0)) {
      let made: tf.TensorContainer = [];
      try {
        run.enterBatch(item.batchIndex);
        await run.fire(start, (): BatchEvent => eventOf(item));
        checkBatch(item, run.parts.trainable.shapes);
        run.updateTaps();
        const { outputs, sums } = forwardOnly(run, objective, item.batch);
        made = [outputs, sums.loss, ...sums.sums];
        all.add(sums);
        if (each.length > 1) each[item.loaderIndex]!.add(sums);
        // The device is read here only when somebody due asks for this batch's numbers.
        await run.fire(end, async (): Promise<BatchEndEvent> => {
          const { loss, metrics } = await all.readBatch(sums);
          return { ...eventOf(item), skipped: false, loss, metrics };
        });
      } finally {
        tf.dispose(made);
        disposeBatch(item);
      }
      if (item.batchIndex + 1 >= batches) break;
      await breathe();
    }
    // The running means are read here, once for each loader.
    const metrics = await all.read();
    if (each.length > 1) for (const totals of each) Object.assign(metrics, await totals.read());
    Object.assign(run.metrics, metrics);
    if (prefix === 'val') await run.fire('onValidationEnd', () => ({ epoch, metrics }));
    else await run.fire('onTestEnd', () => ({ metrics }));
    return metrics;
  } finally {
    for (const totals of [all, ...each]) totals.dispose();
    Object.assign(state, { status: before, batchIndex });
  }
}

function atMost(count: number | undefined, limit: number): number | undefined {
  return count === undefined ? undefined : Math.min(count, limit);
}
