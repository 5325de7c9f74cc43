import { expect, test } from 'vitest';
import { BUILT_IN_ORDER, orderHooks } from '../src/index.js';

type Entry = { name: string; source: 'code' | 'plugin'; slot?: string };
const code = (name: string): Entry => ({ name, source: 'code' });
const plugin = (name: string): Entry => ({ name, source: 'plugin' });
const names = (entries: Entry[]) => orderHooks(entries).map(({ name }) => name);

test('hooks passed in code come first, in their order, then plugins, in theirs', () => {
  expect(names([plugin('p2'), code('c2'), plugin('p1'), code('c1')])).toEqual(['c2', 'c1', 'p2', 'p1']);
});

test('built-ins hold their slots behind everyone else, however they arrive', () => {
  const entries = [
    code('checkpoint'),
    plugin('progress'),
    code('early-stopping'),
    plugin('ema'),
    code('mine'),
  ];
  expect(names(entries)).toEqual(['mine', 'ema', 'early-stopping', 'progress', 'checkpoint']);
  expect(names(entries.map(({ name }) => plugin(name)).reverse())).toEqual([
    'mine',
    'ema',
    'early-stopping',
    'progress',
    'checkpoint',
  ]);
});

test('is the same for every order in which hooks of one kind cannot be told apart', () => {
  const entries = [code('mine'), plugin('ema'), ...BUILT_IN_ORDER.map(code)];
  const expected = names(entries);
  for (let turn = 0; turn < entries.length; turn++) {
    entries.push(entries.shift()!);
    expect(names(entries)).toEqual(expected);
    expect(names([...entries].reverse())).toEqual(expected);
  }
});

test('leaves the list it is given as it is', () => {
  const entries = [code('checkpoint'), code('mine')];
  orderHooks(entries);
  expect(entries.map(({ name }) => name)).toEqual(['checkpoint', 'mine']);
});

test('early stopping decides before anyone reports, and checkpoint is last', () => {
  const at = (name: string) => BUILT_IN_ORDER.indexOf(name);
  for (const reporter of ['console-log', 'json-log', 'csv-log', 'tensorboard', 'notify', 'progress']) {
    expect(at('early-stopping')).toBeLessThan(at(reporter));
  }
  expect(BUILT_IN_ORDER.at(-1)).toBe('checkpoint');
  expect(BUILT_IN_ORDER.at(-2)).toBe('progress');
});

test('a second instance of a built-in runs beside the first, in the order in which they came', () => {
  const best: Entry = { name: 'best', source: 'code', slot: 'checkpoint' };
  const hourly: Entry = { name: 'hourly', source: 'plugin', slot: 'checkpoint' };
  expect(names([best, plugin('checkpoint'), hourly, plugin('progress'), code('mine')])).toEqual([
    'mine',
    'progress',
    'best',
    'checkpoint',
    'hourly',
  ]);
});
