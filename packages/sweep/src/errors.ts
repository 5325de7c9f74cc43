import { HooklineError } from '@hookline/hook-api';

export type SweepErrorCode =
  | 'CLI_USAGE'
  | 'SWEEP_CHANGED'
  | 'SWEEP_CONFIG'
  | 'SWEEP_FAILED'
  | 'SWEEP_FOLDER'
  | 'SWEEP_JOURNAL'
  | 'SWEEP_LOCKED'
  | 'SWEEP_SPACE'
  | 'TRIAL_METRIC'
  | 'TRIAL_TAKEN';

/** An error about a sweep: what was wrong, where, what was expected, what to do. */
export function sweepError(code: SweepErrorCode, message: string, cause?: unknown): HooklineError {
  return new HooklineError(code, message, cause === undefined ? undefined : { cause });
}
