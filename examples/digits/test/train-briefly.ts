import type { Metrics } from '@hookline/hook-api';
import { createLogger, Trainer } from '@hookline/trainer';
import { digitsModel } from '../src/digits-model.js';
import { loadDigits } from '../src/load-digits.js';
import { nudge } from '../src/nudge.js';

const { train, validation } = loadDigits();

export async function trainBriefly({
  seed = 1,
  epochs,
}: {
  seed?: number;
  epochs: number;
}): Promise<{ trainer: Trainer; history: readonly Metrics[] }> {
  const trainer = new Trainer({
    model: digitsModel,
    loss: 'sparseSoftmaxCrossentropy',
    metrics: ['accuracy'],
    optimizer: { name: 'adam', lr: 0.003 },
    hooks: [nudge],
    discover: false,
    runsDir: false,
    logger: createLogger({ level: 'warn' }),
    seed,
  });
  const { history } = await trainer.fit({ train, validation, epochs });
  return { trainer, history };
}
