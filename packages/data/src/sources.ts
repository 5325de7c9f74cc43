import type { Batch } from '@hookline/hook-api';
import type { CsvSource } from './csv/csv.js';
import type { Loader } from './loaders/loader.js';
import type { LoaderDefaults } from './loaders/loader-options.js';
import type { Dataset } from './streams/dataset.js';
import type { StreamSource } from './streams/stream.js';
import type { Table } from './table/table.js';

/** What becomes a loader once a run has decided what its options leave open: a `DataLoader`, by shape. */
export interface LoaderForRun {
  forRun(defaults: LoaderDefaults): Loader;
}

/** Data for one loader: a table, batches that are ready, or something that gives batches. */
export type Source =
  | Table
  | readonly (Batch | Table)[]
  | StreamSource<Batch | Table>
  | Dataset
  | CsvSource
  | Loader
  | LoaderForRun;

export function isLoaderForRun(source: unknown): source is LoaderForRun {
  return typeof (Object(source) as Partial<LoaderForRun>).forRun === 'function';
}
