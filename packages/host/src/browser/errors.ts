/** A failure as Node reports it, so that code which looks at `code` and `errno` works in a page. */
export interface SystemFailure extends Error {
  readonly code: FailureCode;
  readonly errno: number;
  readonly syscall: string;
  readonly path: string;
}

const CODES = {
  ENOENT: [-2, 'no such file or directory'],
  EIO: [-5, 'the storage of the browser failed'],
  EACCES: [-13, 'the browser does not let this page store anything'],
  EBUSY: [-16, 'the file is in use by another tab'],
  EEXIST: [-17, 'file already exists'],
  ENOTDIR: [-20, 'not a directory'],
  EISDIR: [-21, 'illegal operation on a directory'],
  EINVAL: [-22, 'invalid argument'],
  ENOSPC: [-28, 'the storage that the browser gives this site is full'],
  ENOTEMPTY: [-39, 'directory not empty'],
} as const;

export type FailureCode = keyof typeof CODES;

export function failure(code: FailureCode, syscall: string, path: string, cause?: unknown): SystemFailure {
  const [errno, words] = CODES[code];
  const detail = cause instanceof Error && cause.message ? ` (${cause.message})` : '';
  const error = new Error(`${code}: ${words}${detail}, ${syscall} '${path}'`, { cause });
  return Object.assign(error, { code, errno, syscall, path });
}

/** What the browser threw, in the same form; a failure that already has it passes. */
export async function asFailure(error: unknown, syscall: string, path: string): Promise<SystemFailure> {
  if (typeof Object(error).errno === 'number') return error as SystemFailure;
  const code = BY_NAME[String(Object(error).name)] ?? 'EIO';
  const failed = failure(code, syscall, path, error);
  if (code === 'ENOSPC') failed.message += await usageText();
  return failed;
}

const BY_NAME: Readonly<Record<string, FailureCode>> = {
  NotFoundError: 'ENOENT',
  TypeMismatchError: 'EISDIR',
  QuotaExceededError: 'ENOSPC',
  NoModificationAllowedError: 'EBUSY',
  SecurityError: 'EACCES',
  NotAllowedError: 'EACCES',
};

async function usageText(): Promise<string> {
  const { usage, quota } = (await globalThis.navigator?.storage?.estimate?.().catch(() => undefined)) ?? {};
  if (usage === undefined || quota === undefined) return '';
  const megabytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  return `; ${megabytes(usage)} of ${megabytes(quota)} MB are used`;
}
