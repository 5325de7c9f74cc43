import { HooklineError } from '@hookline/hook-api';

/** An error about data: what was wrong, where, what was expected, what to do. */
export function dataError(code: DataErrorCode, message: string, cause?: unknown): HooklineError {
  return new HooklineError(code, message, cause === undefined ? undefined : { cause });
}

export type DataErrorCode =
  | 'BAD_BATCH'
  | 'BAD_DATA'
  | 'BAD_OPTIONS'
  | 'CHECKPOINT_MISMATCH'
  | 'LOADER_FAILED';
