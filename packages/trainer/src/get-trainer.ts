import type { TrainerOptions } from './options.js';
import { Trainer } from './trainer.js';

/** A trainer by the name of its strategy: `simple` trains in this process, `accelerate` in several. */
export function getTrainer(
  strategy: 'simple' | 'accelerate',
  options: Omit<TrainerOptions, 'strategy'>,
): Trainer {
  return new Trainer({ ...options, strategy });
}
