import { HooklineError } from '@hookline/hook-api';

/** An error about logging: what was wrong, where, what was expected, what to do. */
export function loggingError(code: LoggingErrorCode, message: string, cause?: unknown): HooklineError {
  return new HooklineError(code, message, cause === undefined ? undefined : { cause });
}

/**
 * Only `HOOK_OPTIONS` ever reaches the caller of `fit()`. The others end the log they are about: their message is
 * reported once, as a warning, and training continues.
 */
export type LoggingErrorCode =
  /** Options that make no sense, when the hook is made. */
  | 'HOOK_OPTIONS'
  /** A file that csv-log did not write. */
  | 'LOG_FILE'
  /** No client, no address, no answer. */
  | 'LOG_SERVICE';
