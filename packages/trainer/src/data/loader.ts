import type { Batch } from '@hookline/hook-api';

/** Where batches come from. */
export interface Loader {
  readonly name: string;
  /** Batches in an epoch, where it can tell. */
  readonly batches: number | undefined;
  /** Whether the trainer disposes the batches after use: it does, unless they stay the user's. */
  readonly owned: boolean;
  epoch(epoch: number): AsyncIterable<Batch> | Iterable<Batch>;
}
