import { errorOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';
import { ranksInProcess } from '../support/ranks-in-process.js';
import { FIT, OPTIONS, together } from '../support/together.js';

describe('ranks that do not fit together', () => {
  test('other settings on one rank are named, on every rank', async () => {
    const outcomes = await Promise.allSettled(
      ranksInProcess(2).map((collective, rank) =>
        quietTrainer({
          ...OPTIONS,
          optimizer: { name: 'adam', lr: rank === 0 ? 0.02 : 0.03 },
          strategy: { name: 'test', collective },
        }).fit(FIT),
      ),
    );
    for (const outcome of outcomes) {
      const { reason } = outcome as PromiseRejectedResult;
      expect(reason.code).toBe('RANKS_DIFFER');
      expect(reason.message).toContain('lr: 0.02 on rank 0, 0.03 on rank 1');
    }
  });

  test('another model on one rank is named, before anything is computed with it', async () => {
    const outcomes = await Promise.allSettled(
      ranksInProcess(2).map((collective, rank) => {
        const layers = [tfl.layers.dense({ name: 'out', units: 1 + rank, inputShape: [3] })];
        const model = () => tfl.sequential({ layers });
        return quietTrainer({ ...OPTIONS, model, strategy: { name: 'test', collective } }).validate({
          data: FIT.validation!,
        });
      }),
    );
    for (const outcome of outcomes) {
      const { reason } = outcome as PromiseRejectedResult;
      expect(reason.code).toBe('RANKS_DIFFER');
      expect(reason.message).toContain('out/kernel [3,1] on rank 0, out/kernel [3,2] on rank 1');
    }
  });

  test('data with other numbers of batches is named where the ranks part', async () => {
    const error = await errorOf(
      together(2, {}, (rank) => ({
        validation: undefined as never,
        train: function* () {
          for (let batch = 0; batch < 3 - rank; batch++) yield { xs: tf.ones([2, 3]), ys: tf.ones([2, 1]) };
        },
      })),
    );
    expect(error.code).toBe('RANKS_DIFFER');
    expect(error.message).toMatch(/rank 0 is at batch 3 of epoch 1.*rank 1 at the weights after epoch 1/s);
  });

  test('weights that part are found at the end of the epoch', async () => {
    const error = await errorOf(
      together(2, (rank) => ({
        hooks: [
          {
            name: 'noise',
            transformGradients: (_ctx, { gradients }) =>
              rank === 0 ? undefined : { 'out/bias': tf.add(gradients['out/bias']!, 1) },
          },
        ],
      })),
    );
    expect(error.code).toBe('RANKS_DIFFER');
    expect(error.message).toContain('after epoch 1 "out/bias" of rank 1 is not that of rank 0');
  });

  test('the error of one rank reaches all', async () => {
    const fail = (rank: number) => ({
      hooks: [
        {
          name: 'broken',
          onError: 'fail' as const,
          onStepEnd: (_ctx: unknown, { step }: { step: number }) => {
            if (rank === 1 && step === 2) throw new Error('out of coffee');
          },
        },
      ],
    });
    const outcomes = await Promise.allSettled(
      ranksInProcess(2).map((collective, rank) =>
        quietTrainer({ ...OPTIONS, ...fail(rank), strategy: { name: 'test', collective } }).fit(FIT),
      ),
    );
    const [main, broken] = outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason);
    expect(main).toMatchObject({ code: 'RANK_FAILED', message: expect.stringContaining('Rank 1 failed') });
    expect(main.message).toContain('out of coffee');
    expect(broken.message).toContain('out of coffee');
  });

  test('what a hook of one rank fails with in the end reaches all', async () => {
    const hook = {
      name: 'broken',
      onError: 'fail' as const,
      teardown: () => {
        throw new Error('out of coffee');
      },
    };
    const outcomes = await Promise.allSettled(
      ranksInProcess(2).map((collective, rank) =>
        quietTrainer({
          ...OPTIONS,
          hooks: rank === 1 ? [hook] : [{ name: 'broken' }],
          strategy: { name: 'test', collective },
        }).fit(FIT),
      ),
    );
    const [main] = outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason);
    expect(main).toMatchObject({ code: 'RANK_FAILED', message: expect.stringContaining('out of coffee') });
  });

  test('stateful layers are refused', async () => {
    const stateful = () =>
      tfl.sequential({ layers: [tfl.layers.gru({ units: 2, stateful: true, batchInputShape: [2, 3, 1] })] });
    const error = await errorOf(together(2, { model: stateful }));
    expect(error.code).toBe('BAD_MODEL');
  });
});
