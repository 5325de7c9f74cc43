/** What a reader refuses; the names are those of the reference reader. */
type FormatErrorCode =
  | 'HEADER_TOO_LARGE'
  | 'HEADER_TOO_SMALL'
  | 'INVALID_HEADER'
  | 'INVALID_HEADER_DESERIALIZATION'
  | 'INVALID_HEADER_LENGTH'
  | 'INVALID_OFFSET'
  | 'INVALID_TENSOR_VIEW'
  | 'METADATA_INCOMPLETE_BUFFER'
  | 'MISALIGNED_SLICE'
  | 'TENSOR_INVALID_INFO'
  | 'TENSOR_NOT_FOUND'
  | 'VALIDATION_OVERFLOW';

/** What goes wrong with files and folders. */
type FolderErrorCode =
  | 'BAD_FILE_NAME'
  | 'CHECKSUM_MISMATCH'
  | 'FILE_SYSTEM'
  | 'LOCKED'
  | 'NOT_COMMITTED'
  | 'TARGET_EXISTS';

export type SafetensorsErrorCode = FormatErrorCode | FolderErrorCode;

/** Recognise it by `code`, never by `instanceof`: two copies of this package are normal under pnpm. */
export class SafetensorsError extends Error {
  override readonly name: string = 'SafetensorsError';

  constructor(
    readonly code: SafetensorsErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
