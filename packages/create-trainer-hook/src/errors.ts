import { HooklineError } from '@hookline/hook-api';

export type CreateErrorCode =
  /** No name was given, or one that cannot be that of a package or a hook. */
  | 'BAD_NAME'
  /** The name belongs to a hook of Hookline. */
  | 'BUILT_IN_NAME'
  /** There is something in the folder already. */
  | 'NOT_EMPTY'
  /** The folder cannot be made. */
  | 'NOT_WRITABLE';

export function createError(code: CreateErrorCode, message: string, cause?: unknown): HooklineError {
  return new HooklineError(code, message, cause === undefined ? undefined : { cause });
}
