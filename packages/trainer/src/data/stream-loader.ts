import type { Batch, HooklineError } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
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
  // Batches in an array are used again in the next epoch, so they stay the user's.
  const owned = !Array.isArray(stream);
  return {
    name,
    batches: Array.isArray(stream) ? stream.length : undefined,
    owned,
    async *epoch() {
      let count = 0;
      for await (const given of typeof stream === 'function' ? stream() : stream) {
        const batch = toBatch(given, name, count++, shapes);
        try {
          yield batch;
        } finally {
          // Of a batch that was converted, one of the two is ours to dispose, the one that the trainer does not.
          if (batch !== given) tf.dispose(owned ? tensorsOf(given) : tensorsOf(batch));
        }
      }
      if (count === 0) throw noBatch(stream, name);
    },
  };
}

function noBatch(stream: BatchStream | (() => BatchStream), name: string): HooklineError {
  const hint =
    'next' in stream
      ? ' An iterator runs once: to use it in several epochs or runs, give a function that starts a new one each time.'
      : '';
  return trainerError('BAD_DATA', `Loader "${name}" gave no batch.${hint}`);
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
  return columnsOf(batch).every(isTensor);
}

function tensorsOf(batch: Batch | Table): tf.Tensor[] {
  return columnsOf(batch).filter(isTensor);
}

function columnsOf({ xs, ys, weights }: Batch | Table): unknown[] {
  return [xs, ys, weights].flatMap((part) => {
    if (part === undefined || isTensor(part)) return part ?? [];
    return ArrayBuffer.isView(part) ? [part] : Object.values(part);
  });
}
