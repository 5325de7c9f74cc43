import { HooklineError } from '@hookline/hook-api';

export type CheckpointErrorCode =
  | 'HOOK_OPTIONS'
  /** The folder cannot be written to, is in use, or has no room. */
  | 'CHECKPOINT_FOLDER'
  | 'CHECKPOINT_SAVE'
  | 'NOT_A_CHECKPOINT';

export function checkpointError(code: CheckpointErrorCode, message: string, cause?: unknown): HooklineError {
  return new HooklineError(code, message, cause === undefined ? undefined : { cause });
}
