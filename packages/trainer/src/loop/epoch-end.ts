import type { Metrics } from '@hookline/hook-api';
import { betterEpoch } from '@hookline/hook-api/helpers';
import { checkDevice } from '../backends/device-watch.js';
import type { Run } from '../run/run.js';
import { loadRanks } from './load-ranks.js';

/** Counts the epoch if it was trained to its end; returns its metrics. */
export async function closeEpoch(run: Run, epoch: number): Promise<Metrics> {
  const { state, cursor } = run;
  const { progress } = cursor;
  const isWhole = cursor.isAt('epochEnd');
  if (!isWhole) await run.traces.freeze();
  const metrics = { ...(isWhole ? progress.training : await readEpoch(run)), ...progress.validation };
  if (isWhole) {
    if (run.world) await (await loadRanks()).checkAlike(run, run.world);
    cursor.commitEpoch(() => {
      run.best = betterEpoch(run.best, metrics, epoch);
      state.completedEpochs++;
      run.parts.schedule?.observe('epoch', run.metrics);
      progress.clearEpoch();
    });
  }
  return metrics;
}

/** The running means of the epoch are read from the device here, once. */
export async function readEpoch(run: Run): Promise<Metrics> {
  run.phase('read');
  const metrics = await run.cursor.progress.epochTotals.read();
  run.phase('other');
  checkDevice();
  if (!('train/loss' in metrics) && run.cursor.place.batchesDone > 0) warnOfSkipped(run);
  run.wishes.skippers.clear();
  run.noteLoss(metrics['train/loss'] ?? 0);
  run.noteMetrics(metrics);
  return metrics;
}

/** A run that leaves out all of its data looks like one that trains. */
function warnOfSkipped({ state, wishes, logger }: Run): void {
  const hooks = [...wishes.skippers].map((name) => `hook "${name}"`).join(', ');
  const who = hooks === '' ? '' : ` by ${hooks}`;
  logger.warn(
    `Every batch of epoch ${state.epoch + 1} was skipped${who}: nothing was trained, and there is no train/loss.`,
  );
}

/** Reports what was logged for the epoch, and saves when a hook asked for it. */
export async function reportEpoch(run: Run): Promise<void> {
  await run.flushLog('epoch');
  await run.agree();
  if (run.cursor.isAt('epochLog')) run.cursor.commit({ next: 'batch' });
  await run.serveCheckpoint();
}
