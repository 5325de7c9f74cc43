import { didYouMean, type Metrics } from '@hookline/hook-api';
import { isBetter } from '@hookline/hook-api/helpers';
import type { FitResult } from '@hookline/trainer';
import { loadTraining } from '@hookline/trainer/config';
import { sweepError } from '../errors.js';
import { RungHook } from './rung-hook.js';
import type { Outcome } from './trial.js';
import type { TrialTask } from './trial-task.js';

/** Trains a trial until its rung, from where it was; undefined when a signal ended it before. */
export async function runTrial(task: TrialTask): Promise<Outcome | undefined> {
  const start = performance.now();
  const { configFile, point, folder, epochs } = task;
  const { trainer, fit } = await loadTraining({ file: configFile, set: { ...point, runsDir: folder } });
  const rung = new RungHook(epochs);
  trainer.addHook(rung);
  const result = await trainer.fit({ ...fit, resume: 'auto' });
  if (result.exitCode > 128) return undefined;
  return {
    value: bestValue(task, result),
    epochs: result.history.length,
    steps: rung.steps,
    seconds: (performance.now() - start) / 1000,
    finished: !RungHook.stopped(result.stopReason),
  };
}

function bestValue({ monitor, mode }: TrialTask, { history }: FitResult): number {
  let best: number | undefined;
  for (const metrics of history) {
    const value = metrics[monitor] ?? missing(monitor, metrics);
    if (isBetter(value, best, { mode, minDelta: 0 })) best = value;
  }
  return best ?? NaN;
}

function missing(monitor: string, metrics: Metrics): never {
  const names = Object.keys(metrics);
  throw sweepError(
    'TRIAL_METRIC',
    `The sweep monitors "${monitor}", but an epoch of the training has no such metric.${didYouMean(monitor, names)} ` +
      `It has: ${names.join(', ') || 'none'}.`,
  );
}
