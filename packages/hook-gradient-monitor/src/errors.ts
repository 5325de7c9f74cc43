import { HooklineError } from '@hookline/hook-api';

/** What can go wrong here beyond wrong options and a state that belongs to another hook. */
export type GradientMonitorErrorCode = 'NO_PARAMETER_MATCHES';

export function gradientMonitorError(code: GradientMonitorErrorCode, message: string): HooklineError {
  return new HooklineError(code, message);
}
