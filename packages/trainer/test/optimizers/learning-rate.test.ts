import type { Hook, OptimizerView } from '@hookline/hook-api';
import { regression, regressor, weightsOf } from '@hookline/test-support';
import { expect, test } from 'vitest';
import type { OptimizerOption } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const data = regression(16);

async function train(optimizer: OptimizerOption, hook?: Hook): Promise<number[][]> {
  const model = regressor();
  const trainer = quietTrainer({ model, optimizer, hooks: [hook] });
  await trainer.fit({ train: data, epochs: 3, batchSize: 8 });
  return weightsOf(model);
}

/** Writes to the first group of the first optimizer before training. */
function write(change: (group: OptimizerView['groups'][number]) => void): Hook {
  return { name: 'writer', onTrainStart: ({ state }) => change(state.optimizers[0]!.groups[0]!) };
}

test('the update uses the product of lr and lrScale that hooks wrote', async () => {
  const expected = await train({ name: 'adam', lr: 0.02 });
  const halved = await train(
    { name: 'adam', lr: 0.04 },
    write((group) => {
      group.lrScale = 0.5;
    }),
  );
  expect(halved).toEqual(expected);
  const both = await train(
    { name: 'adam', lr: 123 },
    write((group) => {
      group.lr = 0.005;
      group.lrScale = 4;
    }),
  );
  expect(both).toEqual(expected);
  expect(expected).not.toEqual(await train({ name: 'adam', lr: 0.04 }));
});

test('hooks may change momentum and weight decay', async () => {
  const expected = await train({ name: 'sgd', lr: 0.02, momentum: 0.5, weightDecay: 0.1 });
  const changed = await train(
    { name: 'sgd', lr: 0.02, momentum: 0.9, weightDecay: 0.3 },
    write((group) => {
      group.momentum = 0.5;
      group.weightDecay = 0.1;
    }),
  );
  expect(changed).toEqual(expected);
});

test('hooks see the name, the learning rate and the defaults of each optimizer', async () => {
  let seen: unknown;
  const look: Hook = {
    name: 'look',
    onInit: ({ state }) => {
      seen = structuredClone(state.optimizers);
    },
  };
  await train(
    [
      { name: 'adamw', params: 'hidden/*' },
      { name: 'sgd', momentum: 0.9 },
    ],
    look,
  );
  expect(seen).toEqual([
    { name: 'adamw', groups: [{ name: 'adamw', lr: 0.001, lrScale: 1, weightDecay: 0.01 }] },
    { name: 'sgd', groups: [{ name: 'sgd', lr: 0.01, lrScale: 1, momentum: 0.9 }] },
  ]);
});
