import type { Loader } from '@hookline/data';
import { batchesOf } from '@hookline/data';
import type { Objective } from '../objective/objective.js';
import type { Run } from '../run/run.js';
import { checkBatch } from './check-batch.js';
import { disposeEvaluated, forwardOnly } from './forward-backward.js';
import { disposeBatch } from './transform-batch.js';

/**
 * Tries a few validation batches before training, so that a mistake in them does not show only after an epoch. No
 * event is fired, and the random state is left as it was: the run is the same to the bit.
 */
export async function sanityCheck(
  run: Run,
  loaders: readonly Loader[],
  objective: Objective,
  batches: number,
): Promise<void> {
  if (batches === 0 || loaders.length === 0) return;
  const { random, trainable } = run.parts;
  const words = random.save();
  run.untap();
  for await (const item of batchesOf(loaders, 0)) {
    try {
      checkBatch(item, trainable.shapes);
      disposeEvaluated(forwardOnly(run, objective, item));
    } finally {
      disposeBatch(item);
    }
    if (item.batchIndex + 1 >= batches) break;
  }
  random.load(words);
}
