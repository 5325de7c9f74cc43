import type { Batch } from '@hookline/hook-api';

/** Where batches come from; what `DataLoader` makes of your data, or one of your own. */
export interface Loader {
  readonly name: string;
  /** Batches in an epoch, where it can tell. */
  readonly batches: number | undefined;
  /** Whether the trainer disposes a batch after use: it does, unless it stays the user's. */
  readonly owned: boolean | ((batch: Batch) => boolean);
  /**
   * The batches of an epoch, from batch `start` on. A loader that ignores `start` is resumed all the same: the trainer
   * reads and disposes what comes before.
   */
  epoch(epoch: number, start?: number): AsyncIterable<Batch> | Iterable<Batch>;
  /** How `epoch` gets to `start`: it can `jump`, or must `read` what comes before. Absent: it ignores `start`. */
  readonly seek?: 'jump' | 'read';
  /** Batches that are begun ahead, while the step runs; when absent, 1 where they are awaited and 0 where not. */
  readonly prefetch?: number | undefined;
  /** What decides which batch is which: a run is resumed within an epoch only where it is still the same. */
  readonly order?: Readonly<Record<string, string | number | boolean>>;
}

export function isOwned({ owned }: Loader, batch: Batch): boolean {
  return typeof owned === 'function' ? owned(batch) : owned;
}
