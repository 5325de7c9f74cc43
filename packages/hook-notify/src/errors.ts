import { HooklineError } from '@hookline/hook-api';

/** An error about notifications. No message and no cause may hold the address: it is a secret. */
export function notifyError(code: NotifyErrorCode, message: string): HooklineError {
  return new HooklineError(code, message);
}

export type NotifyErrorCode =
  /** Options, or an environment variable that they name, that make no sense. */
  'HOOK_OPTIONS';
