import { didYouMean, HooklineError } from '@hookline/hook-api';

export type CheckpointErrorCode =
  | 'HOOK_OPTIONS'
  /** The folder cannot be written to, is in use, or has no room. */
  | 'CHECKPOINT_FOLDER'
  | 'CHECKPOINT_SAVE'
  | 'NOT_A_CHECKPOINT';

export function checkpointError(code: CheckpointErrorCode, message: string, cause?: unknown): HooklineError {
  return new HooklineError(code, message, cause === undefined ? undefined : { cause });
}

/** What is wrong, and which metrics there are; what happens next is for the caller to add. */
export function missingMetric(hook: string, monitor: string, names: readonly string[]): string {
  return (
    `${hook} monitors "${monitor}", but there is no such metric.${didYouMean(monitor, names)} ` +
    `Metrics so far: ${names.join(', ') || 'none'}.`
  );
}
