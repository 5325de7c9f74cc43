import type { Hook, HookContext, Snapshot } from '@hookline/hook-api';
import { errorOf, regression } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import type { FitOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

// The table in docs/backends.md in small, without a synchronous read, for backends on which the other tests cannot run.

const FIT = { train: regression(16), epochs: 2, batchSize: 4 };

function model(): tfl.Sequential {
  return tfl.sequential({
    layers: [
      tfl.layers.dense({ units: 5, inputShape: [3], activation: 'tanh' }),
      tfl.layers.dropout({ rate: 0.3 }),
      tfl.layers.dense({ units: 1 }),
    ],
  });
}

/** All weights after a run. */
async function train(hooks: Hook[] = [], fit: Partial<FitOptions> = {}): Promise<number[]> {
  const trainer = quietTrainer({ model, seed: 4, hooks, optimizer: { name: 'adam', lr: 0.05 } });
  await trainer.fit({ ...FIT, ...fit });
  const weights = ((await trainer.model()) as tfl.Sequential).getWeights();
  const values = await Promise.all(weights.map((weight) => weight.data()));
  trainer.dispose();
  return values.flatMap((each) => [...each]);
}

test('the same seed gives the same bits', async () => {
  expect(await train()).toEqual(await train());
});

test('a hook that looks at everything leaves every bit', async () => {
  const seen: number[] = [];
  const watch: Hook = {
    name: 'watch',
    onForward: (_ctx, { output }) => void tf.tidy(() => tf.mean(output)),
    onGradientsReady: async (_ctx, { gradients }) => {
      for (const each of Object.values(gradients)) seen.push((await each.data())[0]!);
    },
  };
  expect(await train([watch])).toEqual(await train());
  expect(seen.length).toBeGreaterThanOrEqual(8);
});

test('an interrupted run continues to the same bits', async () => {
  const memory = new Memory();
  await train([memory], { maxSteps: 6 });
  expect(memory.saved).toBeDefined();
  expect(await train([memory], { resume: 'auto' })).toEqual(await train());
});

test('a number that is not finite is refused before it trains', async () => {
  const { xs, ys } = regression(8);
  xs[5]![1] = Number.NaN;
  const trainer = quietTrainer({ model });
  expect((await errorOf(trainer.fit({ train: { xs, ys }, epochs: 1, batchSize: 4 }))).code).toBe('BAD_DATA');
});

test('tensors do not grow', async () => {
  const counts: number[] = [];
  await train([{ name: 'count', onEpochEnd: () => void counts.push(tf.memory().numTensors) }], {
    epochs: 4,
  });
  expect(counts[3]).toBe(counts[1]);
});

/** One checkpoint, after the fifth step. */
class Memory implements Hook {
  readonly name = 'memory';
  saved: Snapshot | undefined;

  setup(ctx: HookContext): void {
    ctx.provideCheckpoints({
      find: async () => this.saved && { path: 'the/checkpoint' },
      load: async () => this.saved!,
      save: async () => {},
    });
  }

  async onTrainBatchEnd(ctx: HookContext): Promise<void> {
    if (this.saved || ctx.state.step !== 5) return;
    const snapshot = await ctx.snapshot();
    this.saved = { ...snapshot, state: JSON.parse(JSON.stringify(snapshot.state)) };
  }
}
