import type { Hook, OptimizerGroupView } from '@hookline/hook-api';
import { collectingLogger, regression, regressor, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import type { OptimizerOption } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

async function trainWith(write: (group: OptimizerGroupView) => void, optimizer: OptimizerOption) {
  const model = regressor();
  const logger = collectingLogger();
  const writer: Hook = {
    name: 'writer',
    onTrainStart: ({ state }) => write(state.optimizers[0]!.groups[0]!),
  };
  await quietTrainer({ model, optimizer, hooks: [writer], logger }).fit({ train: regression(8), epochs: 1 });
  return { weights: weightsOf(model), errors: logger.lines.filter(({ level }) => level === 'error') };
}

const SGD = { name: 'sgd', lr: 0.1 } as const;

test.each<[string, (group: OptimizerGroupView) => void, string]>([
  [
    'lrScale = NaN',
    (group) => Object.assign(group, { lrScale: Number.NaN }),
    'lrScale of optimizer group "sgd" was set to NaN',
  ],
  ['lr = "x"', (group) => Object.assign(group, { lr: 'x' }), 'lr of optimizer group "sgd" was set to "x"'],
  ['lr = Infinity', (group) => Object.assign(group, { lr: Infinity }), 'was set to Infinity'],
  ['lr = undefined', (group) => Object.assign(group, { lr: undefined }), 'was set to undefined'],
  [
    'weightDecay = NaN',
    (group) => Object.assign(group, { weightDecay: Number.NaN }),
    'weightDecay of optimizer group',
  ],
  ['another name', (group) => Object.assign(group, { name: 'mine' }), 'cannot be renamed'],
])('%s is refused where it is written, as an error of that hook', async (_what, write, message) => {
  const plain = await trainWith(() => {}, SGD);
  const { weights, errors } = await trainWith(write, SGD);
  expect(errors).toHaveLength(1);
  expect(errors[0]!.message).toContain('Hook "writer" failed in onTrainStart at step 0: ');
  expect(errors[0]!.message).toContain(message);
  expect(weights).toEqual(plain.weights);
});

test('the optimizers of tfjs refuse it, too', async () => {
  const { weights, errors } = await trainWith(
    (group) => Object.assign(group, { lrScale: 'x' }),
    tf.train.sgd(0.1),
  );
  expect(errors).toHaveLength(1);
  expect(weights.flat().every(Number.isFinite)).toBe(true);
});

test('a group takes what it did not have, and then lists it', async () => {
  const listed: string[] = [];
  const plain = await trainWith(() => {}, SGD);
  const { weights, errors } = await trainWith((group) => {
    listed.push(Object.keys(group).join());
    group.weightDecay = 0.5;
    listed.push(Object.keys(group).join());
  }, SGD);
  expect(errors).toEqual([]);
  expect(listed).toEqual(['name,lr,lrScale', 'name,lr,lrScale,weightDecay']);
  expect(weights).not.toEqual(plain.weights);
});
