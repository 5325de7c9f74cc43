import { trainerError } from './errors.js';
import { INSTALL_CHECKPOINT, type Run } from './run.js';

/** Continues from a checkpoint, at the batch after the last step that it holds. */
export async function resumeRun(run: Run, which: string): Promise<void> {
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
  const report = await run.restore(await provider.load(checkpoint));
  for (const name of report.unexpected)
    logger.warn(`The checkpoint holds "${name}", which this run does not have.`);
  const { state } = run;
  state.epoch = state.completedEpochs;
  await run.fire('onCheckpointLoad', () => ({ reason: which, path: checkpoint.path }));
  logger.info({ epoch: state.epoch, step: state.step }, `Resumed from ${checkpoint.path}.`);
}
