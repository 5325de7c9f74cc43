import { HooklineError } from '@hookline/hook-api';

/** An error about an optimizer or a schedule: what was wrong, where, what was expected, what to do. */
export function optimizerError(code: OptimizerErrorCode, message: string, cause?: unknown): HooklineError {
  return new HooklineError(code, message, cause === undefined ? undefined : { cause });
}

export type OptimizerErrorCode = 'BAD_OPTIMIZER' | 'BAD_OPTIONS' | 'BAD_SCHEDULE';
