import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT_IN_ORDER, type Hook } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import type { Check } from '../check.js';
import { memoryCheckpoint } from '../fakes/memory-checkpoint.js';
import type { Subject } from '../subject.js';
import { difference } from '../trial/compare.js';
import { BATCHES, type Trial, trial } from '../trial/trial.js';

const AFTER = [
  { place: 'at the end of an epoch', when: { epoch: 0 }, step: BATCHES },
  { place: 'in the middle of an epoch', when: { epoch: 1, batch: 0 }, step: BATCHES + 1 },
] as const;

export const resume: Check = {
  name: 'resume',
  promise: 'a run that is interrupted and resumed ends as if it had never stopped',
  needs: ['fit', 'state', 'reuse'],
  async run(subject) {
    if (subject.names.includes(LAST)) return resumedFromItsOwn(subject);
    const saved = AFTER.map((point) => ({ ...point, checkpoint: memoryCheckpoint() }));
    const savers = saved.map(({ checkpoint, when }) => checkpoint.saves(when));
    const { seen } = await trial([...subject.make(), saver(savers)]);
    if (seen.checkpoints) return resumedFromItsOwn(subject);
    const problems: string[] = [];
    for (const { checkpoint, step, place } of saved) {
      const found = await trial([checkpoint.resumes, ...subject.make()], { fit: { resume: 'auto' } });
      problems.push(...(await resumeProblems(subject, found, step, place)));
    }
    return problems;
  },
};

/** The place of the hook that saves: after all others, so that what they made of the batch is saved with it. */
const LAST = BUILT_IN_ORDER.at(-1)!;

function saver(savers: readonly Hook[]): Hook {
  return {
    name: LAST,
    async onTrainBatchEnd(ctx, event) {
      for (const each of savers) await each.onTrainBatchEnd?.(ctx, event);
    },
    async onEpochEnd(ctx, event) {
      for (const each of savers) await each.onEpochEnd?.(ctx, event);
    },
  };
}

/** A hook that offers checkpoints is resumed from those. */
async function resumedFromItsOwn(subject: Subject): Promise<string[]> {
  const runsDir = mkdtempSync(join(tmpdir(), 'hook-testkit-'));
  const { when, step, place } = AFTER[1];
  const stops: Hook = {
    name: 'stops',
    onTrainBatchEnd(ctx, { batchIndex }) {
      // As the user does with Ctrl-C.
      if (ctx.state.epoch === when.epoch && batchIndex === when.batch) ctx.stop('SIGINT');
    },
  };
  try {
    await trial([stops, ...subject.make()], { runsDir });
    const found = await trial(subject.make(), { runsDir, fit: { resume: 'auto' } });
    return await resumeProblems(subject, found, step, place);
  } finally {
    rmSync(runsDir, { recursive: true, force: true });
  }
}

async function resumeProblems(
  subject: Subject,
  found: Trial,
  step: number,
  place: string,
): Promise<string[]> {
  if (found.error !== undefined) return [`Resumed ${place}, the run failed: ${messageOf(found.error)}`];
  const [failure] = subject.failures(found);
  if (failure !== undefined) return [`Resumed ${place}: ${failure}`];
  const different = difference(found, await subject.expected(), step);
  if (different === undefined) return [];
  return [
    `Resumed ${place}, ${different}. Return from saveState all that the hook knows about the run, and put it back in loadState.`,
  ];
}
