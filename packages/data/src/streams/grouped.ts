import * as tf from '@tensorflow/tfjs-core';
import { tensorsIn } from '../batch/tensors-in.js';

export interface Grouping {
  size: number;
  /** Leaves out the last group when it is not full. */
  dropLast: boolean;
  /** Groups to leave out at the start. */
  skip: number;
}

/** Items in groups. Items that are left out are disposed. Returns how many items there were. */
export async function* grouped<Item>(
  chunks: AsyncIterable<readonly Item[]>,
  { size, dropLast, skip }: Grouping,
): AsyncGenerator<Item[], number> {
  let count = 0;
  let group: Item[] = [];
  try {
    for await (const chunk of chunks) {
      for (const item of chunk) {
        if (count++ < skip * size) {
          tf.dispose(tensorsIn(item));
          continue;
        }
        group.push(item);
        if (group.length < size) continue;
        const full = group;
        group = [];
        yield full;
      }
    }
    if (group.length > 0 && !dropLast) {
      const rest = group;
      group = [];
      yield rest;
    }
    return count;
  } finally {
    tf.dispose(group.flatMap(tensorsIn));
  }
}
