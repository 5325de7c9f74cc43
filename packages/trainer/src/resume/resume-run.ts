import type { CheckpointRef, Snapshot } from '@hookline/hook-api';
import { trainerError } from '../errors.js';
import { exitCodeOf } from '../host/index.js';
import { checkSnapshot } from './check-snapshot.js';
import { restoreSnapshot } from './restore-snapshot.js';
import type { Resumable } from './resumable.js';
import type { Counters } from './snapshot.js';
import { isStopReason } from './stop-reasons.js';

export interface ResumeOptions {
  epochs: number;
  maxSteps?: number;
  strictResume?: boolean;
}

export const INSTALL_CHECKPOINT: string = 'Install the hook that does: npm install @hookline/hook-checkpoint';

/** Continues from a checkpoint, at the batch after the last step that it holds. */
export async function resumeRun(run: Resumable, which: string, options: ResumeOptions): Promise<void> {
  const { logger } = run.parts;
  const provider = run.checkpoints;
  if (!provider) {
    throw trainerError(
      'NO_CHECKPOINTS',
      `resume: "${which}" was asked for, but no hook offers checkpoints. ${INSTALL_CHECKPOINT}`,
    );
  }
  const checkpoint = await provider.find(which, checkSnapshot);
  if (!checkpoint) {
    if (which === 'auto') {
      logger.info('There is no checkpoint to resume from yet: starting from scratch.');
      return;
    }
    throw trainerError(
      'NO_CHECKPOINTS',
      `resume: "${which}" was asked for, but there is no such checkpoint.`,
    );
  }
  const snapshot = await provider.load(checkpoint);
  checkSnapshot(snapshot, checkpoint.path);
  if (which === 'auto' && isOver(checkpoint, snapshot, options)) {
    const reason = checkpoint.ended?.stopReason ?? 'all epochs are done';
    logger.info(
      `The run of ${checkpoint.path} has ended (${reason}): starting from scratch. Ask for more epochs to continue it.`,
    );
    return;
  }
  const report = await restoreSnapshot(run, snapshot, { strict: options.strictResume ?? true });
  for (const name of report.missing)
    logger.warn(`The checkpoint has no "${name}", which this run has: it starts from its initial value.`);
  for (const name of report.unexpected)
    logger.warn(`The checkpoint holds "${name}", which this run does not have.`);
  const { state } = run;
  state.epoch = state.completedEpochs;
  await run.fire('onCheckpointLoad', () => ({ reason: which, path: checkpoint.path }));
  logger.info({ epoch: state.epoch, step: state.step }, `Resumed from ${checkpoint.path}.`);
}

/**
 * Whether the run that saved it was over, so that there is nothing to continue. One that a signal or a time limit cut off
 * is continued, and so is one of which more is asked now.
 */
function isOver({ ended }: CheckpointRef, { state }: Snapshot, { epochs, maxSteps }: ResumeOptions): boolean {
  if (!ended) return false;
  const { status, stopReason = '' } = ended;
  const { completedEpochs, step } = state!.counters as unknown as Counters;
  if (exitCodeOf(stopReason) !== 0 || isStopReason(stopReason, 'maxSeconds')) return false;
  if (isStopReason(stopReason, 'maxSteps')) return step >= (maxSteps ?? Infinity);
  return status === 'stopped' || completedEpochs >= epochs;
}
