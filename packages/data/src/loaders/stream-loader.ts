import type { Batch } from '@hookline/hook-api';
import { deriveSeed } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { tensorsIn } from '../batch/tensors-in.js';
import { takeBatch } from '../batch/to-batch.js';
import { sizeOfDataset } from '../streams/dataset.js';
import { shuffleBuffer } from '../streams/shuffle-buffer.js';
import { isAsync, nothingIn, openStream, type Stream, type StreamSource } from '../streams/stream.js';
import type { Table } from '../table/table.js';
import type { Loader } from './loader.js';
import type { LoaderSettings } from './loader-options.js';

/** A stream of batches of tensors, or of typed or nested arrays, which become tensors. */
export type BatchStream = Stream<Batch | Table>;

/** How many batches are held to shuffle a stream of them; few, because batches are large. */
const SHUFFLED_BATCHES = 16;

/** Batches from a stream. Their tensors are ours from then on. */
export function streamLoader(source: StreamSource<Batch | Table>, settings: LoaderSettings): Loader {
  const { name, shuffle, shuffleBuffer: size = SHUFFLED_BATCHES, seed, prefetch } = settings;
  return {
    name,
    batches: sizeOfDataset(source),
    owned: true,
    seek: 'read',
    prefetch,
    order: { ...(shuffle && { seed, shuffleBuffer: size }) },
    epoch: (epoch, start = 0) => {
      const stream = openStream(source, name, epoch);
      if (!shuffle && !isAsync(stream)) return inOrder(stream, source, start, settings);
      const chunks = shuffle
        ? shuffleBuffer(oneByOne(stream), size, deriveSeed(seed, epoch))
        : oneByOne(stream);
      return awaited(chunks, source, start, settings);
    },
  };
}

/** As synchronous as its source, so that nothing is awaited and nothing read ahead. */
function* inOrder(
  stream: Iterable<Batch | Table>,
  source: StreamSource<Batch | Table>,
  start: number,
  settings: LoaderSettings,
): Generator<Batch, void> {
  let index = 0;
  for (const given of stream) {
    if (index++ < start) tf.dispose(tensorsIn(given));
    else yield takeBatch(given, index - 1, settings);
  }
  if (index === 0) throw nothingIn(source, settings.name);
}

async function* awaited(
  chunks: AsyncIterable<readonly (Batch | Table)[]>,
  source: StreamSource<Batch | Table>,
  start: number,
  settings: LoaderSettings,
): AsyncGenerator<Batch, void> {
  let index = 0;
  for await (const [given] of chunks) {
    if (index++ < start) tf.dispose(tensorsIn(given));
    else yield takeBatch(given!, index - 1, settings);
  }
  if (index === 0) throw nothingIn(source, settings.name);
}

/** In chunks of one, which is what a shuffle buffer reads. */
export async function* oneByOne<Item>(
  stream: Iterable<Item> | AsyncIterable<Item>,
): AsyncGenerator<[Item], void> {
  for await (const item of stream) yield [item];
}
