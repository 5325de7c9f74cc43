import { HooklineError } from '@hookline/hook-api';

/** An error about reports: what was wrong, where, what was expected, what to do. */
export function reportError(code: ReportErrorCode, message: string): HooklineError {
  return new HooklineError(code, message);
}

export type ReportErrorCode =
  /** `hookline report` was called wrongly. */
  | 'CLI_USAGE'
  /** A folder without run.json and log.jsonl. */
  | 'NOT_A_RUN';
