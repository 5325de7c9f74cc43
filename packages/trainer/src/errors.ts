import { HooklineError } from '@hookline/hook-api';

/** An error of the trainer: what was wrong, where, what was expected, what to do. */
export function trainerError(code: TrainerErrorCode, message: string, cause?: unknown): HooklineError {
  return new HooklineError(code, message, cause === undefined ? undefined : { cause });
}

export type TrainerErrorCode =
  | 'BACKEND_UNAVAILABLE'
  | 'BACKEND_UNKNOWN'
  | 'BAD_BATCH'
  | 'BAD_CHECKPOINT'
  | 'BAD_DATA'
  | 'BAD_LOSS'
  | 'BAD_METRIC'
  | 'BAD_MODEL'
  | 'BAD_OPTIONS'
  | 'BAD_TRANSFORM'
  | 'BUSY'
  | 'CHECKPOINT_MISMATCH'
  | 'CLI_USAGE'
  | 'HOOK_MISSING'
  | 'HOOK_STATE'
  | 'LOG_LEVEL_UNKNOWN'
  | 'METRIC_NAME'
  | 'NO_CHECKPOINTS'
  | 'NO_PROJECT'
  | 'NON_FINITE_LOSS'
  | 'STOPPED'
  | 'STRATEGY_MISSING';

/** For calls whose result would be only a part of what was asked for. */
export function stoppedError(call: string, reason: string | undefined, then: string): HooklineError {
  return trainerError('STOPPED', `${call} was stopped: ${reason}. ${then}`);
}
