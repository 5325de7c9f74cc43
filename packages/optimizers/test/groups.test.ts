import type { OptimizerView } from '@hookline/hook-api';
import { errorOf, numbers, REGRESSOR_PATHS, useBackend } from '@hookline/test-support';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OptimizerOption, ParameterGroup } from '../src/index.js';
import { driveAll } from './drive.js';

beforeAll(() => useBackend('cpu'));

const START = Object.fromEntries(REGRESSOR_PATHS.map((path, index) => [path, numbers(3, index + 1)]));
const steps = [1, 2, 3, 4].map((step) =>
  Object.fromEntries(REGRESSOR_PATHS.map((path, index) => [path, numbers(3, 10 * step + index)])),
);
const rounded = (values: readonly number[]) => [...Float32Array.from(values)];

/** Four steps over the parameters of a small network. */
function train(option: OptimizerOption): { weights: Record<string, number[]>; view: OptimizerView } {
  const { optimizer, step, values } = driveAll(option, START);
  const view = structuredClone(optimizer.view);
  step(steps);
  return { weights: values(), view };
}

describe('a group', () => {
  test('has its own options, and those of the optimizer where it sets none', () => {
    const adamw = { name: 'adamw', lr: 0.02 } as const;
    const grouped = train({ ...adamw, weightDecay: 0.3, groups: [{ params: '**/bias', weightDecay: 0 }] });
    expect(grouped.view).toEqual({
      name: 'adamw',
      groups: [
        { name: 'bias', lr: 0.02, lrScale: 1, weightDecay: 0 },
        { name: 'default', lr: 0.02, lrScale: 1, weightDecay: 0.3 },
      ],
    });
    const [decayed, plain] = [0.3, 0].map((weightDecay) => train({ ...adamw, weightDecay }).weights);
    expect(grouped.weights['out/kernel']).toEqual(decayed!['out/kernel']);
    expect(grouped.weights['out/bias']).toEqual(plain!['out/bias']);
    expect(decayed!['out/bias']).not.toEqual(plain!['out/bias']);
  });

  test('moves its parameters exactly as an optimizer with those options does', () => {
    const { weights } = train({
      name: 'sgd',
      lr: 0.1,
      momentum: 0.9,
      groups: [
        { params: 'hidden/kernel', lr: 0.02, weightDecay: 0.5 },
        { params: ['out/*'], momentum: 0, nesterov: false },
      ],
    });
    const first = train({ name: 'sgd', lr: 0.02, momentum: 0.9, weightDecay: 0.5 }).weights;
    const second = train({ name: 'sgd', lr: 0.1 }).weights;
    const rest = train({ name: 'sgd', lr: 0.1, momentum: 0.9 }).weights;
    expect(weights['hidden/kernel']).toEqual(first['hidden/kernel']);
    expect(weights['out/kernel']).toEqual(second['out/kernel']);
    expect(weights['hidden/bias']).toEqual(rest['hidden/bias']);
    expect(second['hidden/bias']).not.toEqual(rest['hidden/bias']);
  });

  test('has a parameter when it is the first that matches', () => {
    const { view } = train({
      name: 'sgd',
      groups: [
        { params: 'hidden/**', lr: 1e-3, name: 'first' },
        { params: /bias$/, lr: 1e-4 },
      ],
    });
    expect(view.groups.map(({ name, lr }) => [name, lr])).toEqual([
      ['first', 1e-3],
      ['group-2', 1e-4],
      ['default', 0.01],
    ]);
    const { weights } = train({
      name: 'sgd',
      groups: [
        { params: 'hidden/bias', lr: 0.1 },
        { params: '**/bias', lr: 0 },
      ],
    });
    expect(weights['out/bias']).toEqual(rounded(START['out/bias']!));
    expect(weights['hidden/bias']).not.toEqual(rounded(START['hidden/bias']!));
  });

  test('of all parameters leaves no default group', () => {
    const { view } = train({ name: 'adam', groups: [{ params: '**', lr: 0.1 }] });
    expect(view.groups).toEqual([{ name: 'group-1', lr: 0.1, lrScale: 1 }]);
  });

  test('follows what is written on its view', () => {
    const { optimizer, step, values } = driveAll({ name: 'adam', groups: [{ params: 'out/*' }] }, START);
    optimizer.view.groups[0]!.lrScale = 0;
    step(steps);
    expect(values()['out/kernel']).toEqual(rounded(START['out/kernel']!));
    expect(values()['hidden/kernel']).not.toEqual(rounded(START['hidden/kernel']!));
  });
});

test('a frozen group is not moved, not even by weight decay, and has no place in the view', async () => {
  const option = {
    name: 'adamw',
    lr: 0.05,
    weightDecay: 0.5,
    groups: [{ params: 'hidden/**', frozen: true }],
  } as const;
  const { weights, view } = train(option);
  for (const path of ['hidden/kernel', 'hidden/bias']) expect(weights[path]).toEqual(rounded(START[path]!));
  expect(weights['out/kernel']).not.toEqual(rounded(START['out/kernel']!));
  expect(view.groups.map(({ name }) => name)).toEqual(['default']);
  const { optimizer } = driveAll(option, START);
  expect(optimizer.parameters.map(({ path }) => path)).toEqual(['out/kernel', 'out/bias']);
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
      'a pattern whose parameters all belong to earlier groups',
      { groups: [{ params: 'hidden/*' }, { params: 'hidden/bias' }] },
      'BAD_OPTIMIZER',
      ['group hidden/bias', 'earlier groups', 'first group that matches'],
    ],
    ['no pattern', { groups: [{ lr: 1 }] }, 'BAD_OPTIMIZER', ['group group-1', 'params']],
    [
      'two groups with one name',
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
      ['"lr" must be', 'at least 0', 'got -1'],
    ],
    [
      'a switch that is not one',
      { groups: [{ params: 'out/*', frozen: 1 }] },
      'BAD_OPTIONS',
      ['"frozen" must be true or false, got 1'],
    ],
    ['a number of the optimizer', { beta1: 1 }, 'BAD_OPTIONS', ['"beta1" must be', 'below 1', 'got 1']],
  ])('%s', async (_what, options, code, parts) => {
    const error = await errorOf(() => train({ name: 'adam', ...options } as OptimizerOption));
    expect(error.code, error.message).toBe(code);
    for (const part of parts) expect(error.message).toContain(part);
  });
});

test('groups whose patterns give no name get numbers, so that every series has a name', () => {
  const namesOf = (...groups: ParameterGroup[]) => {
    const { view } = train({ name: 'adam', groups });
    return view.groups.map(({ name }) => name);
  };
  expect(namesOf({ params: 'out/bias' }, { params: ['hidden/bias'] }, { params: '*/*' })).toEqual([
    'out/bias',
    'group-2',
    'group-3',
  ]);
  expect(namesOf({ params: 'out/bias', name: 'bias' }, { params: '**/bias' })).toEqual([
    'bias',
    'group-2',
    'default',
  ]);
});
