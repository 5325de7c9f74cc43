import { recorder, regression, regressor, weightsOf } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

async function train(samples: number, batchSize: number, accumulate: number, epochs = 3) {
  const seen = recorder('recorder', ['onStepStart', 'onStepEnd', 'onTrainBatchEnd']);
  const model = regressor();
  const trainer = quietTrainer({ model, optimizer: { name: 'adam', lr: 0.02 }, accumulate, hooks: [seen] });
  const { history } = await trainer.fit({ train: regression(samples), epochs, batchSize, shuffle: false });
  return { seen, history, weights: weightsOf(model).flat() };
}

test('4 batches of 8 in one step train like 1 batch of 32', async () => {
  const whole = await train(64, 32, 1);
  const parts = await train(64, 8, 4);
  parts.weights.forEach((weight, i) => {
    expect(Math.abs(weight - whole.weights[i]!)).toBeLessThan(1e-5);
  });
  const [losses, expected] = [parts, whole].map(({ seen }) =>
    seen.of('onStepEnd').map(({ payload }) => payload.loss),
  );
  expect(losses).toHaveLength(6);
  losses!.forEach((loss, i) => {
    expect(loss).toBeCloseTo(expected![i], 5);
  });
});

test('the end of an epoch flushes what is accumulated: 3 batches are a step of 2 and a step of 1', async () => {
  const { seen } = await train(12, 4, 2, 2);
  const epoch = ['onStepStart', 'onTrainBatchEnd', 'onStepEnd', 'onTrainBatchEnd'];
  const flushed = ['onStepStart', 'onTrainBatchEnd', 'onStepEnd'];
  expect(seen.names()).toEqual([...epoch, ...flushed, ...epoch, ...flushed]);
});

test('a flushed step is the mean over the batches it has, not over those it could have had', async () => {
  // One batch in steps of up to 4: the same as no accumulation.
  const alone = await train(8, 8, 1);
  const flushed = await train(8, 8, 4);
  expect(flushed.weights).toEqual(alone.weights);
  expect(flushed.history).toEqual(alone.history);
});
