import { messageOf } from '@hookline/hook-api/helpers';

export interface SaveFailure {
  /** `disk`: the place is full, read-only, gone or failing. `weights`: they are not finite. `bug`: anything else. */
  readonly kind: 'disk' | 'weights' | 'bug';
  readonly message: string;
  /** The system's name for the failure, such as ENOSPC. */
  readonly code?: string;
}

/** How a save went. Plain data, so that it can be posted from thread to thread; an error would lose its code. */
export type SaveOutcome =
  | { readonly ok: true /** Of all files. */; readonly bytes: number }
  | { readonly ok: false; readonly failure: SaveFailure };

const FILE_ERRORS = ['FILE_SYSTEM', 'TARGET_EXISTS', 'NOT_COMMITTED'];

/** A run can go on without a disk that fails; a bug of ours must show. */
export function failureOf(error: unknown): SaveFailure {
  const message = messageOf(error);
  const code = systemCode(error);
  if (code !== undefined) return { kind: 'disk', message, code };
  const isOfFiles = FILE_ERRORS.includes(String(Object(error).code));
  return { kind: isOfFiles ? 'disk' : 'bug', message };
}

/** Of the error, or of what caused it. */
function systemCode(error: unknown): string | undefined {
  const { errno, code, cause } = Object(error) as { errno?: unknown; code?: unknown; cause?: unknown };
  if (typeof errno === 'number' && typeof code === 'string') return code;
  return cause === undefined ? undefined : systemCode(cause);
}
