import { HooklineError } from '@hookline/hook-api';

/** What can go wrong with a bundle: it is not there, cannot be read, or belongs to a different model. */
export type DebugErrorCode = 'BUNDLE_MISSING' | 'BUNDLE_DAMAGED' | 'BUNDLE_MISMATCH';

export function debugError(code: DebugErrorCode, message: string, cause?: unknown): HooklineError {
  return new HooklineError(code, message, cause === undefined ? undefined : { cause });
}
