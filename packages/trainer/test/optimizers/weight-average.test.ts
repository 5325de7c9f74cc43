import type { Hook, Snapshot } from '@hookline/hook-api';
import { regression, regressor, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import type { TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const data = regression(20);
const DECAY = 0.8;

/** The weights after each step, and those that validation saw. */
async function train(options: Partial<TrainerOptions> = {}) {
  const after: number[][][] = [];
  const validated: number[][][] = [];
  const model = regressor();
  const watcher: Hook = {
    name: 'watcher',
    onStepEnd: () => void after.push(weightsOf(model)),
    onValidationStart: () => void validated.push(weightsOf(model)),
  };
  const trainer = quietTrainer({ model, hooks: [watcher], ...options });
  const tensors = tf.memory().numTensors;
  await trainer.fit({ train: data, validation: data, epochs: 2, batchSize: 4 });
  return { after, validated, final: weightsOf(model), growth: tf.memory().numTensors - tensors };
}

/** The average by its definition, beginning with the weights after the first step. */
function averageOf(steps: number[][][]): number[][] {
  return steps
    .slice(1)
    .reduce(
      (average, weights) =>
        average.map((tensor, i) => tensor.map((value, j) => DECAY * value + (1 - DECAY) * weights[i]![j]!)),
      steps[0]!,
    );
}

function expectClose(got: number[][], expected: number[][]): void {
  expect(got.flat()).toHaveLength(expected.flat().length);
  for (const [index, value] of got.flat().entries()) expect(value).toBeCloseTo(expected.flat()[index]!, 5);
}

test('validation sees the averaged weights, training continues with its own', async () => {
  const plain = await train();
  const averaged = await train({ ema: { decay: DECAY } });
  expect(averaged.after).toEqual(plain.after);
  expect(averaged.final).toEqual(plain.final);
  expectClose(averaged.validated[0]!, averageOf(averaged.after.slice(0, 5)));
  expectClose(averaged.validated[1]!, averageOf(averaged.after));
});

test('the average can be left in the model when the fit is over', async () => {
  const { final, after } = await train({ ema: { decay: DECAY, keep: true } });
  expectClose(final, averageOf(after));
});

test('no tensor of the average outlives the run', async () => {
  const [plain, averaged] = [await train(), await train({ ema: { decay: DECAY } })];
  expect(averaged.growth).toBe(plain.growth);
});

test('the average is part of a snapshot and continues from it', async () => {
  let saved: Snapshot | undefined;
  const keeper: Hook = {
    name: 'keeper',
    onEpochEnd: async (ctx, { epoch }) => {
      if (epoch === 0) saved = await ctx.snapshot();
    },
  };
  const whole = await train({ ema: { decay: DECAY, keep: true }, hooks: [keeper] });
  const model = regressor();
  const resuming: Hook = {
    name: 'keeper',
    setup: (ctx) =>
      ctx.provideCheckpoints({
        find: async () => ({ path: 'memory' }),
        load: async () => structuredClone(saved!),
        save: async () => {},
      }),
  };
  const trainer = quietTrainer({ model, hooks: [resuming], ema: { decay: DECAY, keep: true } });
  await trainer.fit({ train: data, validation: data, epochs: 2, batchSize: 4, resume: 'auto' });
  expect(weightsOf(model)).toEqual(whole.final);
});
