import type { Batch } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import { isOwned, type Loader } from './loader.js';
import { type Rows, rowsOf } from './table.js';
import { tensorsIn } from './tensors-in.js';

/** Throws where a value is not finite, naming the first and how many there are. Reads tensors from the device. */
export async function checkFinite(columns: Rows['columns'], where: string): Promise<void> {
  for (const [path, samples] of columns) {
    const values = await samples.values();
    let [first, count] = [-1, 0];
    for (let index = 0; index < values.length; index++) {
      if (Number.isFinite(values[index])) continue;
      if (count === 0) first = index;
      count++;
    }
    if (count === 0) continue;
    const width = values.length / samples.count;
    throw trainerError(
      'BAD_DATA',
      `${where} holds values that are not finite: ${path} has ${count}, the first (${values[first]}) in sample ${Math.floor(first / width)}, value ${first % width}. Clean or fill them, or leave checkData out to train with them.`,
    );
  }
}

/** The same loader, whose batches are checked until an epoch was seen to its end. */
export function checkedLoader(loader: Loader): Loader {
  let done = false;
  return {
    ...loader,
    epoch: (epoch, start = 0) => {
      const batches = loader.epoch(epoch, start);
      return done
        ? batches
        : checkBatches(loader, batches, start, () => {
            done = true;
          });
    },
  };
}

async function* checkBatches(
  loader: Loader,
  batches: Iterable<Batch> | AsyncIterable<Batch>,
  start: number,
  onEnd: () => void,
): AsyncGenerator<Batch, void> {
  const { name } = loader;
  let index = start;
  for await (const batch of batches) {
    try {
      await checkFinite(rowsOf(batch, name, {}).columns, `Batch ${index++} of loader "${name}"`);
    } catch (error) {
      if (isOwned(loader, batch)) tf.dispose(tensorsIn(batch));
      throw error;
    }
    yield batch;
  }
  onEnd();
}
