import type { HookContext } from '@hookline/hook-api';
import type { LogRun } from '../../src/index.js';

/** As much of a run as a file needs; what it warns of goes to the list. */
export function logRun(warnings: string[]): LogRun {
  const warn = (message: string) => void warnings.push(message);
  const ctx = { logger: { warn } } as unknown as HookContext;
  return { ctx, select: (metrics) => metrics, fail: warn };
}
