export type BackendWasmErrorCode =
  | 'BACKEND_NOT_REGISTERED'
  | 'NO_SECOND_GRADIENT'
  | 'NO_SIMD'
  | 'NO_THREADS'
  | 'OUT_OF_MEMORY'
  | 'THREAD_LOST'
  | 'UNKNOWN_BACKEND_SHAPE'
  | 'UNSUPPORTED'
  | 'BAD_INDEX';

/** Recognise it by `code`, never by `instanceof`: two copies of this package are normal under pnpm. */
export class BackendWasmError extends Error {
  override readonly name: string = 'BackendWasmError';

  constructor(
    readonly code: BackendWasmErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}
