import type { HooklineError } from '@hookline/hook-api';
import { deriveSeed } from '@hookline/numerics';
import { type Collation, collateBatch } from '../batch/collate.js';
import { grouped } from '../streams/grouped.js';
import { shuffleBuffer } from '../streams/shuffle-buffer.js';
import type { Loader } from './loader.js';
import type { LoaderSettings } from './loader-options.js';
import { batchesIn } from './table-loader.js';

/** How many samples are held to shuffle a stream of them. */
const SHUFFLED_SAMPLES = 1024;

/** A stream of single samples, in chunks. */
export interface SampleStream<Item> extends Collation<Item> {
  open(epoch: number): AsyncIterable<readonly Item[]>;
  /** How many samples there are, where that is known. */
  count: number | undefined;
  /** The error when there are no samples. */
  nothing(): HooklineError;
}

/** Samples from a stream, grouped into batches. */
export function sampleLoader<Item>(stream: SampleStream<Item>, settings: LoaderSettings): Loader {
  const { name, batchSize, dropLast, shuffle, shuffleBuffer: size = SHUFFLED_SAMPLES, seed } = settings;
  return {
    name,
    batches: stream.count === undefined ? undefined : batchesIn(stream.count, settings),
    owned: true,
    seek: 'read',
    prefetch: settings.prefetch,
    order: { batchSize, dropLast, ...(shuffle && { seed, shuffleBuffer: size }) },
    async *epoch(epoch, start = 0) {
      const samples = stream.open(epoch);
      const items = shuffle ? shuffleBuffer(samples, size, deriveSeed(seed, epoch)) : samples;
      const groups = grouped(items, { size: batchSize, dropLast, skip: start });
      let index = start;
      try {
        for (;;) {
          const { value: group, done } = await groups.next();
          if (done) {
            if (group === 0) throw stream.nothing();
            batchesIn(group, settings); // throws when dropLast left out the only batch
            return;
          }
          yield await collateBatch(group, index++, stream, settings);
        }
      } finally {
        await groups.return(0);
      }
    },
  };
}
