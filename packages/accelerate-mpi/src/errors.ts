import { HooklineError } from '@hookline/hook-api';

export type MpiErrorCode = 'BAD_LAUNCH' | 'MPI_FAILED' | 'MPI_MISSING' | 'RANK_FAILED' | 'RANK_TIMEOUT';

/** An error about MPI: what was wrong, where, what was expected, what to do. */
export function mpiError(code: MpiErrorCode, message: string, cause?: unknown): HooklineError {
  return new HooklineError(code, message, cause === undefined ? undefined : { cause });
}
