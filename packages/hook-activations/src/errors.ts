import { HooklineError } from '@hookline/hook-api';

export type ActivationsErrorCode =
  | 'CACHE_TOO_LARGE'
  | 'CANNOT_CAPTURE'
  | 'CANNOT_READ_NOW'
  | 'DEBUG_CONDITION'
  | 'DUPLICATE_HOOK'
  | 'HOOK_OPTIONS'
  | 'INTERVENTION_DISABLED'
  | 'NEVER_CALLED'
  | 'NO_LAYER_MATCHES'
  | 'NO_SUCH_PART'
  | 'NOT_IN_CACHE'
  | 'NOT_ON_DEVICE'
  | 'SAME_METRIC'
  | 'STATE_TOO_LARGE'
  | 'UNKNOWN_HOOK'
  | 'WRONG_KIND';

export function activationsError(code: ActivationsErrorCode, message: string): HooklineError {
  return new HooklineError(code, message);
}
