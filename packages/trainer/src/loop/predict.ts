import type { Loader } from '@hookline/data';
import { batchCount, batchesOf } from '@hookline/data';
import type { TensorTree } from '@hookline/hook-api';
import { isTensor } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { stoppedError } from '../errors.js';
import { ownOutputs } from '../model/own-outputs.js';
import type { Run } from '../run/run.js';
import { breather } from './breathe.js';
import { checkBatch } from './check-batch.js';
import { eventOf } from './forward-backward.js';
import { disposeBatch } from './transform-batch.js';

/** The model's outputs for all data, batch after batch joined into one; they belong to the caller. */
export async function predict(run: Run, loaders: readonly Loader[]): Promise<TensorTree> {
  const { trainable, random } = run.parts;
  const parts: TensorTree[] = [];
  const breathe = breather();
  run.state.status = 'predicting';
  try {
    await run.fire('onPredictStart', () => ({ stage: 'predict', batches: batchCount(loaders) }));
    for await (const item of batchesOf(loaders, 0)) {
      try {
        // Fewer rows than were asked for would pass for all of them.
        if (run.ending.stopped)
          throw stoppedError(
            'predict()',
            run.ending.stopReason,
            'It returns outputs for all of the data or none.',
          );
        run.enterBatch(item.batchIndex);
        await run.fire('onPredictBatchStart', () => eventOf(item));
        checkBatch(item, trainable.shapes);
        run.updateTaps();
        const outputs = random.during(() =>
          tf.tidy(() => ownOutputs(trainable.forward(item.batch.xs, false), item.batch) as tf.Tensor),
        );
        parts.push(outputs);
        await run.fire('onPredictBatchEnd', () => ({ ...eventOf(item), outputs }));
      } finally {
        disposeBatch(item);
      }
      await breathe();
    }
    await run.fire('onPredictEnd', () => ({ stage: 'predict' }));
    return tf.tidy(() => join(parts) as tf.Tensor);
  } finally {
    tf.dispose(parts);
  }
}

function join(parts: readonly TensorTree[]): TensorTree {
  const [first] = parts;
  if (first === undefined) return [];
  if (isTensor(first)) return tf.concat(parts as tf.Tensor[]);
  if (Array.isArray(first)) {
    return first.map((_, index) => tf.concat((parts as tf.Tensor[][]).map((part) => part[index]!)));
  }
  return Object.fromEntries(
    Object.keys(first).map((name) => [
      name,
      tf.concat((parts as Record<string, tf.Tensor>[]).map((part) => part[name]!)),
    ]),
  );
}
