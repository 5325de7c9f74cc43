import { HooklineError } from '@hookline/hook-api';
import { placeText } from '@hookline/hook-api/helpers';

export type DataErrorCode = 'BAD_DATA' | 'BAD_OPTIONS' | 'CHECKPOINT_MISMATCH' | 'LOADER_FAILED';

/** An error about data: what was wrong, where, what was expected, what to do. */
export function dataError(code: DataErrorCode, message: string, cause?: unknown): HooklineError {
  return new HooklineError(code, message, cause === undefined ? undefined : { cause });
}

/** An error from a source, with where it happened. An error of our own says that already and stays as it is. */
export function loaderFailed(loader: string, epoch: number, batch: number, error: unknown): HooklineError {
  const { name, code, message } = Object(error) as Partial<HooklineError>;
  if (name === 'HooklineError' && typeof code === 'string') return error as HooklineError;
  return dataError(
    'LOADER_FAILED',
    `Loader "${loader}" failed at ${placeText(epoch, batch)}: ${message ?? String(error)}`,
    error,
  );
}

export function noBatch(loader: string, hint = ''): HooklineError {
  return dataError('BAD_DATA', `Loader "${loader}" gave no batch.${hint}`);
}

export function withoutXs(loader: string, index: number): HooklineError {
  return dataError(
    'BAD_DATA',
    `Batch ${index + 1} of loader "${loader}" has no xs: expected { xs, ys? }. If the source gives single samples, group them with new DataLoader(source, { samples: true }).`,
  );
}
