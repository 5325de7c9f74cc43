import { HooklineError } from '@hookline/hook-api';

/** An error about the dashboard: what was wrong, where, what was expected, what to do. */
export function dashboardError(code: DashboardErrorCode, message: string): HooklineError {
  return new HooklineError(code, message);
}

export type DashboardErrorCode =
  /** `hookline dashboard` was called wrongly. */
  'CLI_USAGE';
