import { errorOf, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { createOptimizers, type OptimizerOption, type Parameter } from '../src/index.js';

beforeAll(() => useBackend('cpu'));

const parameters = (): Parameter[] =>
  ['encoder/kernel', 'encoder/bias', 'head/kernel'].map((path) => ({
    path,
    variable: tf.variable(tf.tensor1d([1, 2])),
  }));

const claims = (option: OptimizerOption) =>
  createOptimizers(option, parameters()).map(({ view, parameters }) => [
    view.name,
    parameters.map(({ path }) => path),
  ]);

test('one optimizer moves all parameters', () => {
  expect(claims('adam')).toEqual([['adam', ['encoder/kernel', 'encoder/bias', 'head/kernel']]]);
});

test('several share the parameters by path, and the one without params takes the rest', () => {
  expect(claims([{ name: 'sgd' }, { name: 'adamw', params: 'encoder/**' }])).toEqual([
    ['sgd', ['head/kernel']],
    ['adamw', ['encoder/kernel', 'encoder/bias']],
  ]);
  expect(claims([tf.train.sgd(0.1), { name: 'lion', params: /bias$/ }])).toEqual([
    ['sgd', ['encoder/kernel', 'head/kernel']],
    ['lion', ['encoder/bias']],
  ]);
});

test('optimizers may have names of your own, by which their views and groups go', () => {
  const option = {
    body: { name: 'adamw', params: 'encoder/**', groups: [{ params: '**/bias', weightDecay: 0 }] },
    head: tf.train.sgd(0.1),
  } as const;
  const views = createOptimizers(option, parameters()).map(({ view }) => view);
  expect(views.map(({ name, groups }) => [name, groups.map((group) => group.name)])).toEqual([
    ['body', ['bias', 'default']],
    ['head', ['head']],
  ]);
});

test('an optimizer knows how many numbers it will remember', () => {
  const [sizeOf] = [(option: OptimizerOption) => createOptimizers(option, parameters())[0]!.stateSize];
  expect([sizeOf('sgd'), sizeOf('lion'), sizeOf('adam')]).toEqual([0, 6, 12]);
});

test('a gradient of an unknown parameter is ignored, and one without a gradient stays', () => {
  const all = parameters();
  const [optimizer] = createOptimizers({ name: 'sgd', lr: 1 }, all);
  optimizer!.apply({ 'head/kernel': tf.tensor1d([1, 1]), other: tf.tensor1d([1]) });
  expect(all.map(({ variable }) => [...variable.dataSync()])).toEqual([
    [1, 2],
    [1, 2],
    [0, 1],
  ]);
});

test.each([
  ['a path', 'head/kernel', ['head/kernel']],
  ['a pattern', '*/kernel', ['encoder/kernel', 'head/kernel']],
  ['several', ['head/*', '**/bias'], ['encoder/bias', 'head/kernel']],
  ['a regular expression', /^encoder/, ['encoder/kernel', 'encoder/bias']],
  ['a function', (path: string) => path.endsWith('bias'), ['encoder/bias']],
])('params may be %s', (_what, params, expected) => {
  const [, first] = claims(['sgd', { name: 'adam', params }]);
  expect(first).toEqual(['adam', expected]);
});

test('a parameter may be a single number or empty', () => {
  const [scalar, empty] = [tf.variable(tf.scalar(1)), tf.variable(tf.tensor1d([]))];
  const [optimizer] = createOptimizers({ name: 'adam', lr: 0.5 }, [
    { path: 'scalar', variable: scalar },
    { path: 'empty', variable: empty },
  ]);
  optimizer!.apply({ scalar: tf.scalar(1), empty: tf.tensor1d([]) });
  expect(scalar.dataSync()[0]).toBeCloseTo(0.5, 4);
  expect([scalar.shape, empty.shape]).toEqual([[], [0]]);
});

test('the gradients remain the caller’s', () => {
  const all = parameters();
  const gradients = Object.fromEntries(all.map(({ path }) => [path, tf.tensor1d([1, 1])]));
  for (const option of ['sgd', 'adam', tf.train.sgd(0.1)] as const) {
    createOptimizers(option, all)[0]!.apply(gradients);
  }
  for (const gradient of Object.values(gradients)) expect([...gradient.dataSync()]).toEqual([1, 1]);
});

test('parameters that do not learn need no optimizer', () => {
  const all = parameters();
  const option = { name: 'adam', params: 'encoder/**' } as const;
  expect(createOptimizers(option, all, all.slice(0, 2))).toHaveLength(1);
});

describe('what cannot work is named with what to do:', () => {
  test.each<[string, unknown, string[]]>([
    ['an unknown name', 'adma', ['"adma"', 'Did you mean "adam"?', 'tf.train']],
    [
      'a filter that matches nothing',
      [{ name: 'adam', params: 'decoder/**' }, 'sgd'],
      ['Optimizer 0', 'decoder'],
    ],
    [
      'a parameter with two optimizers',
      [{ name: 'adam', params: 'encoder/**' }, { name: 'sgd', params: '**/kernel' }, 'lion'],
      ['Optimizers 0 and 1 both claim "encoder/kernel"', 'matches only one'],
    ],
    [
      'a parameter with two optimizers that have names',
      { maker: { name: 'adam', params: 'encoder/**' }, judge: { name: 'sgd', params: '**/kernel' } },
      ['Optimizers "maker" and "judge" both claim "encoder/kernel"'],
    ],
    [
      'two with names that take the rest',
      { maker: 'adam', judge: 'sgd' },
      ['Optimizers "maker" and "judge"'],
    ],
    [
      'a named one whose filter matches nothing',
      { maker: { name: 'adam', params: 'decoder/**' }, judge: 'sgd' },
      ['Optimizer "maker" has no parameters'],
    ],
    ['two that take the rest', ['adam', 'sgd'], ['Optimizers 0 and 1', 'Give one of them params']],
    [
      'a parameter without an optimizer',
      { name: 'adam', params: 'encoder/**' },
      ['No optimizer claims head/kernel', 'without params', "params: 'head/kernel', frozen: true"],
    ],
  ])('%s', async (_what, option, parts) => {
    const error = await errorOf(() => createOptimizers(option as OptimizerOption, parameters()));
    expect(error.code, error.message).toBe('BAD_OPTIMIZER');
    for (const part of parts) expect(error.message).toContain(part);
  });
});
