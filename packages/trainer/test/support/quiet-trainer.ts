import { collectingLogger } from '@hookline/test-support/collecting-logger';
import { Trainer, type TrainerOptions } from '../../src/index.js';

/** A trainer that finds no hooks, prints nothing, writes nothing and has a seed. */
export function quietTrainer(options: TrainerOptions): Trainer {
  return new Trainer({
    discover: false,
    runsDir: false,
    backend: 'cpu',
    seed: 1,
    loss: 'meanSquaredError',
    logger: collectingLogger(),
    ...options,
  });
}
