import type { HooklineError } from '@hookline/hook-api';
import { dataError } from './errors.js';

/** An error of a source, with where it happened. One of our own says so already. */
export function loaderFailed(loader: string, epoch: number, batch: number, error: unknown): HooklineError {
  const { name, code, message } = Object(error) as Partial<HooklineError>;
  if (name === 'HooklineError' && typeof code === 'string') return error as HooklineError;
  return dataError(
    'LOADER_FAILED',
    `Loader "${loader}" failed at epoch ${epoch}, batch ${batch}: ${message ?? String(error)}`,
    error,
  );
}

export function noBatch(loader: string, hint = ''): HooklineError {
  return dataError('BAD_DATA', `Loader "${loader}" gave no batch.${hint}`);
}
