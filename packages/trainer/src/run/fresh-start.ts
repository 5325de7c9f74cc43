import type { HookLogger, OptimizerView } from '@hookline/hook-api';
import type { LrSchedule, Optimizer } from '@hookline/optimizers';
import type { RandomState } from './random.js';

/** Puts everything but the weights back to where it was before the first run; made when that is so. */
export function freshStart(
  optimizers: readonly Optimizer[],
  configured: readonly OptimizerView[],
  schedule: LrSchedule | undefined,
  random: RandomState,
  logger: HookLogger,
): () => void {
  const words = random.save();
  return () => {
    random.load(words);
    for (const [index, optimizer] of optimizers.entries()) {
      for (const [place, group] of optimizer.view.groups.entries()) {
        Object.assign(group, configured[index]!.groups[place]);
      }
      if (optimizer.dispose) optimizer.dispose();
      else
        logger.warn(
          `The optimizer ${optimizer.view.name} of tf.train keeps its state: it cannot be cleared.`,
        );
    }
    schedule?.restart();
  };
}
