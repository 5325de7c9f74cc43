export type LayerTapsErrorCode =
  | 'BAD_FILTER'
  | 'BAD_HANDLER'
  | 'BAD_REPLACEMENT'
  | 'DUPLICATE_PATH'
  | 'LAYER_NEVER_CALLED'
  | 'MODEL_NOT_BUILT'
  | 'NO_LAYER_MATCHES'
  | 'NOT_A_MODEL';

/** Recognise it by `code`, never by `instanceof`: two copies of this package are normal under pnpm. */
export class LayerTapsError extends Error {
  override readonly name: string = 'LayerTapsError';

  constructor(
    readonly code: LayerTapsErrorCode,
    message: string,
  ) {
    super(message);
  }
}
