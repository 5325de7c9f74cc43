export type TfjsCorrectionsErrorCode = 'NO_GRADIENT';

/** Recognise it by `code`, never by `instanceof`: two copies of this package are normal under pnpm. */
export class TfjsCorrectionsError extends Error {
  override readonly name: string = 'TfjsCorrectionsError';

  constructor(
    readonly code: TfjsCorrectionsErrorCode,
    message: string,
  ) {
    super(message);
  }
}
