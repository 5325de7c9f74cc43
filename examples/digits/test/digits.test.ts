import type { Metrics } from '@hookline/hook-api';
import { createLogger, Trainer } from '@hookline/trainer';
import { expect, test } from 'vitest';
import { digitsModel } from '../src/digits-model.js';
import { loadDigits } from '../src/load-digits.js';
import { nudge } from '../src/nudge.js';

const { train, validation, test: unseen } = loadDigits();

test('fifteen epochs teach it 98 of 100 digits that it has never seen', async () => {
  const { trainer, history } = await trainBriefly({ epochs: 15 });
  const { 'test/accuracy': accuracy } = await trainer.test({ data: unseen });

  expect(history.at(-1)!['train/loss']!).toBeLessThan(history[0]!['train/loss']! / 10);
  expect(accuracy).toBeGreaterThanOrEqual(0.98);
});

test('two runs with one seed have the same losses to the last bit, and another seed has others', async () => {
  const { history } = await trainBriefly({ epochs: 2 });

  expect((await trainBriefly({ epochs: 2 })).history).toEqual(history);
  const { history: other } = await trainBriefly({ seed: 2, epochs: 1 });
  expect(other[0]!['train/loss']).not.toBe(history[0]!['train/loss']);
});

async function trainBriefly({
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
