import type { Batch } from '@hookline/hook-api';

/** Where batches come from: what `DataLoader` makes of your data, or a loader you write yourself. */
export interface Loader {
  readonly name: string;
  /** Batches in an epoch, where the loader knows. */
  readonly batches: number | undefined;
  /** Whether a batch is disposed after use; false for batches that remain the user's. */
  readonly owned: boolean | ((batch: Batch) => boolean);
  /**
   * The batches of an epoch, from batch `start` on. A loader that ignores `start` can be resumed, too: the batches
   * before it are read and disposed.
   */
  epoch(epoch: number, start?: number): AsyncIterable<Batch> | Iterable<Batch>;
  /** How `epoch` gets to `start`: it can `jump`, or must `read` what comes before. Without it, `start` is ignored. */
  readonly seek?: 'jump' | 'read';
  /** Batches that are requested ahead, while the step runs; default 1 where batches are awaited, else 0. */
  readonly prefetch?: number | undefined;
  /** What decides which batch is which. A run is resumed within an epoch only where this is unchanged. */
  readonly order?: Readonly<Record<string, string | number | boolean>>;
}

export function isOwned({ owned }: Loader, batch: Batch): boolean {
  return typeof owned === 'function' ? owned(batch) : owned;
}
