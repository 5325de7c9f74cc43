import { errorOf, folderPerTest, write } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { differences } from '../../src/cli/differences.js';
import { reportOfRun } from '../../src/cli/recorded-hooks.js';
import { recordedRun } from '../../src/cli/recorded-run.js';
import { table } from '../../src/cli/table.js';

const folder = folderPerTest();
const HOOKS = [
  { name: 'stopper', package: 'p', version: '1.0.0', enabled: true },
  { name: 'second', instanceOf: 'stopper', package: 'p', version: '1.0.0', enabled: true },
  { name: 'mine', enabled: false, reason: 'Switched off.' },
];

test('hooks that a run had are listed from its record: where from, on or off, why, in their order', () => {
  write(folder.path, { 'run.json': { hooks: HOOKS } });
  expect(reportOfRun(folder.path, false).split('\n').slice(1)).toEqual([
    '',
    '  stopper  p@1.0.0    on',
    '  second   p@1.0.0    on',
    '      an instance of stopper',
    '  mine     your code  off',
    '      Switched off.',
    '',
    'Order: stopper, second',
    '',
  ]);
  expect(JSON.parse(reportOfRun(folder.path, true))).toEqual({ run: folder.path, hooks: HOOKS });
});

test.each<[string, unknown]>([
  ['no list', { hooks: 'all' }],
  ['nothing that is a hook', { hooks: [null, 7, {}, { name: 3 }] }],
  ['no object', 7],
])('a record with %s has no hooks', (_what, record) => {
  write(folder.path, { 'run.json': JSON.stringify(record) });
  expect(reportOfRun(folder.path, false)).toMatch(/\n {2}none\n\nOrder: nothing ran\n$/);
});

test('a folder without a record is refused with what was expected', async () => {
  expect(await errorOf(() => reportOfRun(folder.path, false))).toMatchObject({
    code: 'CLI_USAGE',
    message: `${folder.path} has no run.json that can be read. Expected the folder of a run, such as runs/<id>.`,
  });
});

test.each<[string, object, object]>([
  [
    'a loss with its settings and a backend that every machine has',
    { config: { loss: 'mse', labelSmoothing: 0.1, lossWeights: { a: 2 } }, backend: { name: 'wasm' } },
    { loss: 'mse', settings: { labelSmoothing: 0.1, lossWeights: { a: 2 } }, backend: 'wasm' },
  ],
  [
    'no function, of which a record has only the name',
    { config: { loss: { $function: 'mine' }, classWeights: { $data: 'tensor' } } },
    { settings: {} },
  ],
  ['no backend that may be missing here', { backend: { name: 'webgpu' } }, { settings: {} }],
])('of the run of a bundle is taken: %s', (_what, record, expected) => {
  write(folder.path, { 'run.json': record, 'debug/step-1/x': '' });
  expect(recordedRun(folder.in('debug', 'step-1'))).toEqual(expected);
});

test('a bundle that was moved away from its run tells nothing', () => {
  expect(recordedRun(folder.in('debug', 'step-1'))).toEqual({ settings: {} });
});

test('two values differ at their innermost keys; lists count as a whole', () => {
  const a = { same: 1, deep: { x: 1, y: [1, 2] }, gone: null };
  const b = { same: 1, deep: { x: 2, y: [1, 3] }, new: 'n' };
  expect(differences(a, b)).toEqual([
    { path: 'deep.x', a: 1, b: 2 },
    { path: 'deep.y', a: [1, 2], b: [1, 3] },
    { path: 'gone', a: null, b: undefined },
    { path: 'new', a: undefined, b: 'n' },
  ]);
  expect(differences({ a: { b: 1 } }, { a: 1 })).toEqual([{ path: 'a', a: { b: 1 }, b: 1 }]);
  expect(differences([1], [1])).toEqual([]);
});

test('columns are as wide as their longest cell, without blanks at the end of a line', () => {
  expect(
    table([
      ['a', 'long cell', ''],
      ['wider', 'b', 'c'],
    ]),
  ).toEqual(['  a      long cell', '  wider  b          c']);
  expect(table([])).toEqual([]);
});
