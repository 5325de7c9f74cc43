import { HooklineError } from '@hookline/hook-api';

export type TestkitErrorCode =
  /** A hook breaks a promise: the message says which, and how to fix it. */
  | 'BROKEN_PROMISE'
  /** There is no package.json to check. */
  | 'PACKAGE_JSON';

export function testkitError(code: TestkitErrorCode, message: string): HooklineError {
  return new HooklineError(code, message);
}
