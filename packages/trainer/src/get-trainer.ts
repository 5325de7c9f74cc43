import { Trainer } from './trainer.js';
import type { TrainerOptions } from './trainer-options.js';

/** A trainer by the name of its strategy: `simple` trains in this process, `accelerate` in several. */
export function getTrainer(
  strategy: 'simple' | 'accelerate',
  options: Omit<TrainerOptions, 'strategy'>,
): Trainer {
  return new Trainer({ ...options, strategy });
}
