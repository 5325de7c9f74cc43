import type { Metrics } from '@hookline/hook-api';
import type { Phase } from '../resume/cursor.js';
import type { Run } from '../run/run.js';
import { evaluate } from './evaluate.js';
import type { FitPlan } from './plan.js';

/** The validation after an epoch, where one is due. */
export async function validateEpoch(run: Run, plan: FitPlan): Promise<void> {
  if (run.ending.isBrokenOff) return;
  if (plan.limits.validatesAfter(run.state.epoch)) await validateModel(run, plan, 'epochEnd');
  else run.cursor.commit({ next: 'epochEnd' });
}

/** Validates, with the averaged weights where there are any, and moves on. Stopped in the middle, it was not done. */
export async function validateModel(run: Run, plan: FitPlan, next: Phase): Promise<void> {
  const { cursor, average } = run;
  if (plan.validation.length === 0) return void cursor.commit({ next });
  cursor.hold();
  average?.swapIn();
  try {
    const settings = { ...plan, batches: plan.limits.valBatches };
    const done = (metrics: Metrics) =>
      cursor.commit({ next }, () => {
        cursor.progress.validation = metrics;
        run.parts.schedule?.observe('validation', metrics);
      });
    await run.phases.during('validation', () => evaluate(run, 'val', settings, done));
  } finally {
    average?.swapOut();
  }
}
