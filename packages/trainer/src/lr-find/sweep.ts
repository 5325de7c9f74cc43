import type { LoadedBatch } from '@hookline/data';
import type { OptimizerGroupView } from '@hookline/hook-api';
import { trainerError } from '../errors.js';
import { breather } from '../loop/breathe.js';
import type { FitPlan } from '../loop/plan.js';
import { trainBatch } from '../loop/train-batch.js';
import { restoreSnapshot } from '../resume/restore-snapshot.js';
import { takeSnapshot } from '../resume/snapshot.js';
import type { Run } from '../run/run.js';
import { untrainedLosses } from './untrained-losses.js';

export interface Sweep {
  steps: number;
  /** The learning rate of each step. */
  lrAt(step: number): number;
  smoothing: number;
  divergence: number;
}

/** The smoothed loss of each step, up to where it explodes. */
export async function sweep(
  run: Run,
  plan: FitPlan,
  { steps, lrAt, smoothing, divergence }: Sweep,
): Promise<number[]> {
  const before = await takeSnapshot(run);
  const setRate = rateSetter(run.state.optimizers.flatMap(({ groups }) => groups));
  const untrained = untrainedLosses(run);
  run.cursor.begin(plan.objective);
  run.cursor.progress.accumulate = plan.accumulate(0);
  const breathe = breather();
  /** How the loss differs from that of untrained weights. */
  const changes: number[] = [];
  let [mean, level, batches, lowest] = [0, 0, 0, Infinity];
  let batchChanges: number[] = [];
  try {
    for await (const item of endlessly(plan)) {
      setRate(lrAt(changes.length));
      const expected = await untrained.lossOf(item, plan);
      const trained = await trainBatch(run, plan, item);
      batchChanges.push((trained?.loss ?? Number.NaN) - expected);
      level += (expected - level) / ++batches;
      if (run.cursor.isWithinStep) continue; // more batches to come for this step
      const change = batchChanges.reduce((sum, each) => sum + each, 0) / batchChanges.length;
      batchChanges = [];
      mean = smoothing * mean + (1 - smoothing) * change;
      // Without the correction the first means would be drawn towards 0.
      const smoothed = mean / (1 - smoothing ** (changes.length + 1));
      const loss = level + smoothed;
      lowest = Math.min(lowest, loss);
      // Losses can be negative. NaN is not below anything.
      if (!(loss <= lowest + (divergence - 1) * Math.abs(lowest))) break;
      changes.push(smoothed);
      if (changes.length === steps) break;
      await breathe();
    }
    return changes.map((change) => level + change);
  } finally {
    untrained.dispose();
    await restoreSnapshot(run, before);
  }
}

/** Epoch after epoch: a sweep may be longer than the data. */
async function* endlessly({ train }: FitPlan): AsyncGenerator<LoadedBatch, void> {
  for (let epoch = 0; ; epoch++) {
    let isEmpty = true;
    for await (const item of train.epoch(epoch)) {
      isEmpty = false;
      yield item;
    }
    if (isEmpty) throw trainerError('BAD_DATA', `lrFind() found no batch in epoch ${epoch + 1} of the data.`);
  }
}

/** Sets the rate of the first group that has one, and keeps the relation of all others to it. */
function rateSetter(groups: readonly OptimizerGroupView[]): (lr: number) => void {
  const rates = groups.map(({ lr }) => lr);
  const first = rates.find((lr) => lr > 0);
  if (first === undefined) {
    throw trainerError('BAD_OPTIONS', 'lrFind() scales learning rates, but all of them are 0. Set an lr.');
  }
  return (lr) => {
    for (const [index, group] of groups.entries()) {
      Object.assign(group, { lr: (rates[index]! * lr) / first, lrScale: 1 });
    }
  };
}
