import type { CheckpointRef, Snapshot } from '@hookline/hook-api';
import { trainerError } from '../errors.js';
import { exitCodeOf } from '../host/signals.js';
import type { FitOptions } from '../options.js';
import { type Counters, INSTALL_CHECKPOINT, type Run } from '../run/run.js';

type ResumeOptions = Pick<FitOptions, 'strictResume' | 'epochs' | 'maxSteps'>;

/** Continues from a checkpoint, at the batch after the last step that it holds. */
export async function resumeRun(run: Run, which: string, options: ResumeOptions): Promise<void> {
  const { logger } = run.parts;
  const provider = run.checkpoints;
  if (!provider) {
    throw trainerError(
      'NO_CHECKPOINTS',
      `resume: "${which}" was asked for, but no hook offers checkpoints. ${INSTALL_CHECKPOINT}`,
    );
  }
  const checkpoint = await provider.find(which);
  if (!checkpoint) {
    if (which === 'auto') {
      logger.info('There is no checkpoint to resume from yet: starting anew.');
      return;
    }
    throw trainerError(
      'NO_CHECKPOINTS',
      `resume: "${which}" was asked for, but there is no such checkpoint.`,
    );
  }
  const snapshot = await provider.load(checkpoint);
  if (which === 'auto' && isOver(checkpoint, snapshot, options)) {
    const reason = checkpoint.ended?.stopReason ?? 'all epochs are done';
    logger.info(
      `The run of ${checkpoint.path} came to its end (${reason}): starting anew. Ask for more epochs to continue it.`,
    );
    return;
  }
  const report = await run.restore(snapshot, { strict: options.strictResume ?? true });
  for (const name of report.missing)
    logger.warn(`The checkpoint has no "${name}", which this run has: it begins anew.`);
  for (const name of report.unexpected)
    logger.warn(`The checkpoint holds "${name}", which this run does not have.`);
  const { state } = run;
  state.epoch = state.completedEpochs;
  await run.fire('onCheckpointLoad', () => ({ reason: which, path: checkpoint.path }));
  logger.info({ epoch: state.epoch, step: state.step }, `Resumed from ${checkpoint.path}.`);
}

/**
 * Whether the run that saved it had come to its end, so that there is nothing to continue: what a signal or a limit of
 * time cut off goes on, and so does a run of which more is asked now.
 */
function isOver({ ended }: CheckpointRef, { state }: Snapshot, { epochs, maxSteps }: ResumeOptions): boolean {
  if (!ended) return false;
  const { status, stopReason = '' } = ended;
  const { completedEpochs, step } = state!.counters as unknown as Counters;
  if (exitCodeOf(stopReason) !== 0 || stopReason.startsWith('maxSeconds:')) return false;
  if (stopReason.startsWith('maxSteps:')) return step >= (maxSteps ?? Infinity);
  return status === 'stopped' || completedEpochs >= epochs;
}
