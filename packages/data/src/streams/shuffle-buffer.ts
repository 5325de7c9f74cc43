import { deriveSeed } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { tensorsIn } from '../batch/tensors-in.js';

/**
 * Shuffles a stream by holding `size` items: each new item takes the place of one that is drawn from them. The draws
 * follow from seed and number, so the same seed gives the same order again.
 */
export async function* shuffleBuffer<Item>(
  chunks: AsyncIterable<readonly Item[]>,
  size: number,
  seed: number,
): AsyncGenerator<Item[], void> {
  const held: Item[] = [];
  let draws = 0;
  const draw = () => Math.floor((deriveSeed(seed, draws++) / 2 ** 32) * held.length);
  try {
    for await (const chunk of chunks) {
      const out: Item[] = [];
      for (const item of chunk) {
        if (held.length < size) held.push(item);
        else {
          const place = draw();
          out.push(held[place]!);
          held[place] = item;
        }
      }
      if (out.length > 0) yield out;
    }
    while (held.length > 0) {
      const place = draw();
      const item = held[place]!;
      held[place] = held.at(-1)!;
      held.pop();
      yield [item];
    }
  } finally {
    // If the caller left early, the items it has not seen are still ours.
    tf.dispose(held.flatMap(tensorsIn));
  }
}
