import { expect, test } from 'vitest';
import { groupNames } from '../src/helpers.js';
import type { OptimizerView } from '../src/index.js';

const optimizer = (name: string, ...groups: string[]): OptimizerView => ({
  name,
  groups: groups.map((group) => ({ name: group, lr: 1, lrScale: 1 })),
});

test('a single group goes by the name of its optimizer, several by both names', () => {
  expect(groupNames([optimizer('adam', 'adam')])).toEqual([['adam']]);
  expect(groupNames([optimizer('adam', 'encoder', 'head')])).toEqual([['adam/encoder', 'adam/head']]);
});

test('adding an optimizer or a group of the same name renames nothing that was there', () => {
  expect(
    groupNames([optimizer('adam', 'x'), optimizer('sgd', 'x'), optimizer('adam', 'x', 'x', 'x')]),
  ).toEqual([['adam'], ['sgd'], ['adam-1/x', 'adam-1/x-1', 'adam-1/x-2']]);
});

test('no two groups share a name, whatever they are called', () => {
  const names = ['adam', 'adam', 'adam-1', 'adam', 'adam-1'].map((name) => optimizer(name, 'g'));
  expect(groupNames(names).flat()).toEqual(['adam', 'adam-2', 'adam-1', 'adam-3', 'adam-1-1']);
});
