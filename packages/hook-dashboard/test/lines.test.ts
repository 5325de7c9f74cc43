import { expect, test } from 'vitest';
import { chartsOf, drawnPoints, isZoomed, linesOf } from '../page/lines.js';
import { runWith } from './shown-run.js';

const LOSSES = ['train/loss', 'val/loss', 'batch/loss'];
const PLAIN = { smoothing: 0, isLog: false, filter: '' };

test('there is one chart for training, validation and batches of a metric, the loss first', () => {
  const run = runWith('a', ['lr/adam', 'val/accuracy', ...LOSSES, 'memory/heap']);
  expect(chartsOf([run], '')).toEqual([
    ['loss', LOSSES],
    ['accuracy', ['val/accuracy']],
    ['lr/adam', ['lr/adam']],
    ['memory/heap', ['memory/heap']],
  ]);
});

test('charts of the same rank are in the order of their names, whatever came first', () => {
  const titles = (names: string[]) => chartsOf([runWith('a', names)], '').map(([title]) => title);
  expect(titles(['val/recall', 'val/accuracy', 'val/f1'])).toEqual(['accuracy', 'f1', 'recall']);
  expect(titles(['val/f1', 'val/recall', 'val/accuracy'])).toEqual(['accuracy', 'f1', 'recall']);
});

test('several runs share their charts, and a metric that only one has gets its own', () => {
  const runs = [runWith('a', ['val/loss']), runWith('b', ['train/loss', 'val/loss', 'val/f1'])];
  expect(chartsOf(runs, '')).toEqual([
    ['loss', ['val/loss', 'train/loss']],
    ['f1', ['val/f1']],
  ]);
});

test.each<[string, string[]]>([
  ['', ['loss', 'Accuracy', 'lr/adam']],
  ['acc', ['Accuracy']],
  ['LR', ['lr/adam']],
  ['a', ['Accuracy', 'lr/adam']],
  ['(', []],
  ['nothing like it', []],
])('the filter "%s" leaves %j, in capitals or not', (filter, titles) => {
  const run = runWith('a', ['val/Accuracy', 'val/loss', 'lr/adam']);
  expect(chartsOf([run], filter).map(([title]) => title)).toEqual(titles);
});

test('training, validation and test have the same colours in every chart of a run', () => {
  const colors = (names: string[]) =>
    Object.fromEntries(linesOf([runWith('a', names)], names).map(({ label, color }) => [label, color]));
  expect(colors(['val/loss', 'train/loss', 'test/loss'])).toEqual({
    'train/loss': 0,
    'val/loss': 1,
    'test/loss': 2,
  });
  // Without training in the chart, validation keeps its colour.
  expect(colors(['val/f1'])).toEqual({ 'val/f1': 1 });
  expect(colors(['lr/adam'])).toEqual({ 'lr/adam': 0 });
});

test('single batches are faint and drawn below the curves of epochs', () => {
  const lines = linesOf([runWith('a', LOSSES)], LOSSES);
  expect(lines.map(({ label, isFaint }) => [label, isFaint])).toEqual([
    ['batch/loss', true],
    ['train/loss', false],
    ['val/loss', false],
  ]);
});

test('of several runs each has a colour and its name, and training is dashed', () => {
  const runs = [runWith('a', LOSSES), runWith('b', ['val/loss'])];
  expect(linesOf(runs, LOSSES).map(({ label, color, isDashed }) => [label, color, isDashed])).toEqual([
    ['a batch/loss', 0, false],
    ['a train/loss', 0, true],
    ['a val/loss', 0, false],
    ['b val/loss', 1, false],
  ]);
  const [line] = linesOf([runWith('a', ['train/loss'])], ['train/loss']);
  expect(line).toMatchObject({ label: 'train/loss', isDashed: false });
});

test('a logarithmic scale leaves out what has no logarithm, at its step', () => {
  const points: [number[], (number | null)[]] = [
    [1, 2, 3, 4],
    [1, 0, -2, null],
  ];
  expect(drawnPoints(points, { ...PLAIN, isLog: true })).toEqual([
    [1, 2, 3, 4],
    [1, null, null, null],
  ]);
  expect(drawnPoints(points, PLAIN)).toEqual(points);
});

test('smoothing changes what is drawn and not what is known', () => {
  const values = [0, 10];
  const [, drawn] = drawnPoints([[1, 2], values], { ...PLAIN, smoothing: 0.5 });
  expect(drawn[1]).toBeCloseTo(20 / 3);
  expect(values).toEqual([0, 10]);
});

test.each<[string, { min?: number | null; max?: number | null } | undefined, boolean]>([
  ['that shows all steps', { min: 1, max: 9 }, false],
  ['with room around them', { min: 0, max: 10 }, false],
  ['that begins later', { min: 2, max: 9 }, true],
  ['that ends earlier', { min: 1, max: 8 }, true],
  ['that is not drawn yet', { min: null, max: null }, false],
  ['that is not there', undefined, false],
])('a scale %s keeps its part of the curve: %j', (_what, scale, isKept) => {
  expect(isZoomed([1, 5, 9], scale)).toBe(isKept);
});
