import { HookFatalError } from '@hookline/hook-api';

/** Of `strict`: a mistyped metric ends the run in its first epoch. */
export function metricRequired(message: string): HookFatalError {
  return new HookFatalError(`${message} Set "monitor" to one of them, or strict: false to wait for it.`);
}
