import type { Hook, OptimizerView } from '@hookline/hook-api';
import { errorOf, REGRESSOR_PATHS, regression, regressor } from '@hookline/test-support';
import type * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import type { OptimizerOption, ParameterGroup, TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const FIT = { train: regression(16), epochs: 2, batchSize: 8 };

interface Trained {
  weights: Record<string, number[]>;
  views: OptimizerView[];
  /** The paths of the gradients that were computed. */
  gradients: string[];
}

async function train(optimizer: OptimizerOption, options: Partial<TrainerOptions> = {}): Promise<Trained> {
  const model = regressor();
  const seen: Omit<Trained, 'weights'> = { views: [], gradients: [] };
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
  return { ...seen, weights: byPath(model) };
}

function byPath(model: tfl.LayersModel): Record<string, number[]> {
  const weights = model.getWeights().map((weight) => [...weight.dataSync()]);
  return Object.fromEntries(REGRESSOR_PATHS.map((path, index) => [path, weights[index]!]));
}

describe('a group', () => {
  test('has its own options, and those of the optimizer where it says nothing', async () => {
    const grouped = await train({
      name: 'adamw',
      lr: 0.02,
      weightDecay: 0.3,
      groups: [{ params: '**/bias', weightDecay: 0 }],
    });
    const decayed = await train({ name: 'adamw', lr: 0.02, weightDecay: 0.3 });
    const plain = await train({ name: 'adamw', lr: 0.02, weightDecay: 0 });
    // After one step gradients differ, so single steps are compared below; here: it is neither of the two.
    expect(grouped.weights).not.toEqual(decayed.weights);
    expect(grouped.weights).not.toEqual(plain.weights);
    expect(grouped.views).toEqual([
      {
        name: 'adamw',
        groups: [
          { name: 'bias', lr: 0.02, lrScale: 1, weightDecay: 0 },
          { name: 'default', lr: 0.02, lrScale: 1, weightDecay: 0.3 },
        ],
      },
    ]);
  });

  test('moves its parameters exactly as an optimizer of those options does', async () => {
    const one = { epochs: 1, batchSize: 16 };
    const step = async (optimizer: OptimizerOption) => {
      const model = regressor();
      await quietTrainer({ model, optimizer }).fit({ ...FIT, ...one });
      return byPath(model);
    };
    const grouped = await step({
      name: 'sgd',
      lr: 0.1,
      momentum: 0.9,
      groups: [
        { params: 'hidden/kernel', lr: 0.02, weightDecay: 0.5 },
        { params: ['out/*'], momentum: 0, nesterov: false },
      ],
    });
    const first = await step({ name: 'sgd', lr: 0.02, momentum: 0.9, weightDecay: 0.5 });
    const second = await step({ name: 'sgd', lr: 0.1 });
    expect(grouped['hidden/kernel']).toEqual(first['hidden/kernel']);
    expect(grouped['hidden/bias']).toEqual(second['hidden/bias']);
    expect(grouped['out/kernel']).toEqual(second['out/kernel']);
    expect(first['hidden/kernel']).not.toEqual(second['hidden/kernel']);
  });

  test('has a parameter when it is the first that matches', async () => {
    const { views } = await train({
      name: 'sgd',
      groups: [
        { params: 'hidden/**', lr: 1e-3, name: 'first' },
        { params: /bias$/, lr: 1e-4 },
      ],
    });
    expect(views[0]!.groups.map(({ name, lr }) => [name, lr])).toEqual([
      ['first', 1e-3],
      ['group-2', 1e-4],
      ['default', 0.01],
    ]);
    const { weights } = await train({
      name: 'sgd',
      groups: [
        { params: 'hidden/bias', frozen: true },
        { params: '**/bias', lr: 0 },
      ],
    });
    expect(weights['out/bias']).toEqual(byPath(regressor())['out/bias']);
  });

  test('of all parameters leaves no default group', async () => {
    const { views } = await train({ name: 'adam', groups: [{ params: '**', lr: 0.1 }] });
    expect(views[0]!.groups).toEqual([{ name: 'group-1', lr: 0.1, lrScale: 1 }]);
  });

  test('follows what hooks write on its own view', async () => {
    const model = regressor();
    const still: Hook = {
      name: 'still',
      onTrainStart: ({ state }) => {
        state.optimizers[0]!.groups[0]!.lrScale = 0;
      },
    };
    const optimizer: OptimizerOption = { name: 'adam', groups: [{ params: 'out/*' }] };
    await quietTrainer({ model, optimizer, hooks: [still] }).fit(FIT);
    const [before, after] = [byPath(regressor()), byPath(model)];
    expect(after['out/kernel']).toEqual(before['out/kernel']);
    expect(after['hidden/kernel']).not.toEqual(before['hidden/kernel']);
  });

  test('belongs to its optimizer where there are several', async () => {
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
});

describe('a frozen group', () => {
  const optimizer: OptimizerOption = {
    name: 'adamw',
    lr: 0.05,
    weightDecay: 0.5,
    groups: [{ params: 'hidden/**', frozen: true }],
  };

  test('is not moved, not even by weight decay, and has no place in the view', async () => {
    const { weights, views } = await train(optimizer);
    const before = byPath(regressor());
    expect(weights['hidden/kernel']).toEqual(before['hidden/kernel']);
    expect(weights['hidden/bias']).toEqual(before['hidden/bias']);
    expect(weights['out/kernel']).not.toEqual(before['out/kernel']);
    expect(views[0]!.groups.map(({ name }) => name)).toEqual(['default']);
  });

  test('costs no gradient and does not count in the norm that is clipped', async () => {
    const { gradients } = await train(optimizer);
    expect(gradients).toEqual(['out/kernel', 'out/bias']);
    const layers = regressor();
    layers.getLayer('hidden').trainable = false;
    await quietTrainer({ model: layers, optimizer: 'sgd', clip: { globalNorm: 0.01 } }).fit(FIT);
    const { weights } = await train(
      { name: 'sgd', groups: [{ params: 'hidden/**', frozen: true }] },
      { clip: { globalNorm: 0.01 } },
    );
    expect(weights['out/kernel']).toEqual([...layers.getLayer('out').getWeights()[0]!.dataSync()]);
  });

  test('of everything leaves nothing to train, which is an error', async () => {
    const error = await errorOf(train({ name: 'adam', groups: [{ params: '**', frozen: true }] }));
    expect(error.code).toBe('BAD_MODEL');
    expect(error.message).toContain('not frozen');
  });
});

describe('a group that is wrong is named with what to do:', () => {
  test.each<[string, object, string, string[]]>([
    [
      'an unknown option',
      { groups: [{ params: '**/bias', weightDeacy: 0 }] },
      'BAD_OPTIONS',
      ['Optimizer "adam", group bias', '"weightDeacy"', 'Did you mean "weightDecay"?', 'frozen'],
    ],
    [
      'an option of another optimizer',
      { groups: [{ params: '**/bias', momentum: 0.9 }] },
      'BAD_OPTIONS',
      ['"momentum"', 'beta1'],
    ],
    [
      'a pattern that matches nothing',
      { groups: [{ params: '**/baias' }] },
      'BAD_OPTIMIZER',
      ['**/baias', ...REGRESSOR_PATHS],
    ],
    [
      'a pattern whose parameters are in groups before it',
      { groups: [{ params: 'hidden/*' }, { params: 'hidden/bias' }] },
      'BAD_OPTIMIZER',
      ['group hidden/bias', 'groups before it', 'first match'],
    ],
    ['no pattern', { groups: [{ lr: 1 }] }, 'BAD_OPTIMIZER', ['group group-1', 'params']],
    [
      'two groups of one name',
      {
        groups: [
          { params: 'out/*', name: 'mine' },
          { params: 'hidden/*', name: 'mine' },
        ],
      },
      'BAD_OPTIMIZER',
      ['two groups named "mine"'],
    ],
    [
      'a number that makes no sense',
      { groups: [{ params: 'out/*', lr: -1 }] },
      'BAD_OPTIONS',
      ['"lr" must be', 'got -1', 'at least 0'],
    ],
    [
      'a switch that is none',
      { groups: [{ params: 'out/*', frozen: 1 }] },
      'BAD_OPTIONS',
      ['"frozen" must be', 'got 1'],
    ],
    ['a number of the optimizer', { beta1: 1 }, 'BAD_OPTIONS', ['"beta1" must be', 'got 1', 'below 1']],
  ])('%s', async (_what, options, code, parts) => {
    const error = await errorOf(train({ name: 'adam', ...options } as OptimizerOption));
    expect(error.code, error.message).toBe(code);
    for (const part of parts) expect(error.message).toContain(part);
  });
});

test('groups whose patterns give no name of their own get numbers, so that every series has one', async () => {
  const namesOf = async (...groups: ParameterGroup[]) => {
    const { views } = await train({ name: 'adam', groups });
    return views[0]!.groups.map(({ name }) => name);
  };
  expect(await namesOf({ params: 'out/bias' }, { params: ['hidden/bias'] }, { params: '*/*' })).toEqual([
    'out/bias',
    'group-2',
    'group-3',
  ]);
  expect(await namesOf({ params: 'out/bias', name: 'bias' }, { params: '**/bias' })).toEqual([
    'bias',
    'group-2',
    'default',
  ]);
});
