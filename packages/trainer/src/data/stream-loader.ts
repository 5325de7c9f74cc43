import type { Batch } from '@hookline/hook-api';
import { trainerError } from '../errors.js';
import type { SampleShapes } from '../model/trainable.js';
import { isTensor } from '../tensors.js';
import type { Loader } from './loader.js';
import { type Table, tableLoader } from './table-loader.js';

/** Batches one after the other: of tensors, or of typed or nested arrays, which become tensors. */
export type BatchStream = Iterable<Batch | Table> | AsyncIterable<Batch | Table>;

/** Batches that come from the user: an array of them, an iterable, or a function that starts one for each epoch. */
export function streamLoader(
  stream: BatchStream | (() => BatchStream),
  name: string,
  shapes: SampleShapes | undefined,
): Loader {
  return {
    name,
    batches: Array.isArray(stream) ? stream.length : undefined,
    // Batches in an array are used again in the next epoch, so they stay the user's.
    owned: !Array.isArray(stream),
    async *epoch(epoch) {
      let count = 0;
      for await (const batch of typeof stream === 'function' ? stream() : stream) {
        yield toBatch(batch, name, count++, shapes);
      }
      if (count > 0) return;
      throw trainerError(
        'BAD_DATA',
        epoch === 0
          ? `Loader "${name}" gave no batch.`
          : `Loader "${name}" gave no batch in epoch ${epoch}: an iterator runs once. Give a function that starts a new one for each epoch.`,
      );
    },
  };
}

function toBatch(batch: Batch | Table, name: string, index: number, shapes: SampleShapes | undefined): Batch {
  if (typeof batch !== 'object' || batch === null || !('xs' in batch)) {
    throw trainerError(
      'BAD_DATA',
      `Loader "${name}" gave a batch ${index} without xs: expected { xs, ys? }.`,
    );
  }
  if (isTensorBatch(batch)) return batch;
  // One batch as large as the table: the table knows how arrays become tensors.
  const whole = { name, batchSize: Number.POSITIVE_INFINITY, shuffle: false, seed: 0, shapes };
  const [converted] = tableLoader(batch, whole).epoch(0) as Iterable<Batch>;
  return converted!;
}

function isTensorBatch(batch: Batch | Table): batch is Batch {
  return [batch.xs, batch.ys ?? []].every((part) => isTensor(part) || Object.values(part).every(isTensor));
}
