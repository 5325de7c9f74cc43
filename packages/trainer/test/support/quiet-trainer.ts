import { TEST_BACKEND } from '@hookline/test-support';
import { collectingLogger } from '@hookline/test-support/collecting-logger';
import { Trainer, type TrainerOptions } from '../../src/index.js';

/** A trainer that finds no hooks, prints nothing, writes nothing and has a seed. */
export function quietTrainer(options: TrainerOptions): Trainer {
  return new Trainer({
    discover: false,
    runsDir: false,
    backend: TEST_BACKEND,
    seed: 1,
    loss: 'meanSquaredError',
    logger: collectingLogger(),
    ...options,
  });
}
