import type { Batch, HooklineError } from '@hookline/hook-api';
import { isTensor } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { dataError } from '../errors.js';
import type { LoaderSettings } from '../loaders/loader-settings.js';
import { rowsOf, type Table, wholeOf } from '../table/table.js';
import { tensorsIn } from './tensors-in.js';

/** What the user gave as a batch, as tensors: itself where it is that already, else a new one. */
export function toBatch(
  given: Batch | Table,
  index: number,
  { name, shapes }: Pick<LoaderSettings, 'name' | 'shapes'>,
): Batch {
  if (typeof given !== 'object' || given === null || !('xs' in given)) throw withoutXs(name, index);
  if (isTensorBatch(given)) return given;
  return wholeOf(rowsOf(given, name, shapes));
}

/** The same, of a batch that is ours: what does not live on in the result is disposed, also when it fails. */
export function takeBatch(
  given: Batch | Table,
  index: number,
  settings: Pick<LoaderSettings, 'name' | 'shapes'>,
): Batch {
  let batch: Batch | undefined;
  try {
    batch = toBatch(given, index, settings);
    return batch;
  } finally {
    if (batch !== given) tf.dispose(tensorsIn(given));
  }
}

export function withoutXs(name: string, index: number): HooklineError {
  return dataError(
    'BAD_DATA',
    `Loader "${name}" gave a batch ${index} without xs: expected { xs, ys? }. A source of single samples is grouped by new DataLoader(source, { samples: true }).`,
  );
}

/** Flat, as a batch is: tensors within names within names are not. */
export function isTensorBatch(batch: Batch | Table): batch is Batch {
  const { xs, ys, weights } = batch;
  return [xs, ys, weights].every(
    (part) =>
      part === undefined ||
      isTensor(part) ||
      (!ArrayBuffer.isView(part) && Object.values(part).every(isTensor)),
  );
}
