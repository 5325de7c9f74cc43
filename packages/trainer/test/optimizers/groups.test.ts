import type { Hook, OptimizerView } from '@hookline/hook-api';
import { errorOf, regression, regressor } from '@hookline/test-support';
import { expect, test } from 'vitest';
import type { OptimizerOption, TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const FIT = { train: regression(16), epochs: 2, batchSize: 8 };

interface Trained {
  outKernel: number[];
  views: OptimizerView[];
  /** The paths of the gradients that were computed. */
  gradients: string[];
}

async function train(optimizer: OptimizerOption, options: Partial<TrainerOptions> = {}): Promise<Trained> {
  const model = regressor();
  const seen: Omit<Trained, 'outKernel'> = { views: [], gradients: [] };
  const look: Hook = {
    name: 'look',
    onInit: ({ state }) => {
      seen.views = structuredClone(state.optimizers) as OptimizerView[];
    },
    onAfterBackward: (_ctx, { gradients }) => {
      seen.gradients = Object.keys(gradients);
    },
  };
  await quietTrainer({ model, optimizer, hooks: [look], ...options }).fit(FIT);
  return { ...seen, outKernel: [...model.getLayer('out').getWeights()[0]!.dataSync()] };
}

test('hooks see the groups of each optimizer', async () => {
  const { views } = await train([
    { name: 'adam', params: 'hidden/*', groups: [{ params: '**/bias', lr: 0.5 }] },
    { name: 'lion' },
  ]);
  expect(views.map(({ groups }) => groups.map(({ name, lr }) => [name, lr]))).toEqual([
    [
      ['bias', 0.5],
      ['default', 0.001],
    ],
    [['lion', 0.0001]],
  ]);
});

test('a frozen group costs no gradient and does not count in the norm that is clipped', async () => {
  const { gradients, outKernel } = await train(
    { name: 'sgd', groups: [{ params: 'hidden/**', frozen: true }] },
    { clip: { globalNorm: 0.01 } },
  );
  expect(gradients).toEqual(['out/kernel', 'out/bias']);
  const layers = regressor();
  layers.getLayer('hidden').trainable = false;
  await quietTrainer({ model: layers, optimizer: 'sgd', clip: { globalNorm: 0.01 } }).fit(FIT);
  expect(outKernel).toEqual([...layers.getLayer('out').getWeights()[0]!.dataSync()]);
});

test('freezing everything leaves nothing to train, which is an error', async () => {
  const error = await errorOf(train({ name: 'adam', groups: [{ params: '**', frozen: true }] }));
  expect(error.code).toBe('BAD_MODEL');
  expect(error.message).toContain('at least one group of the optimizer unfrozen');
});
