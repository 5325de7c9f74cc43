import type { LogLine, RunView } from '@hookline/run-view';
import { epochLine, logged, viewOf } from '@hookline/test-support/run-views';
import { expect, test } from 'vitest';
import { type ChartSection, chartSections } from '../src/page/charts.js';

const headings = (sections: readonly ChartSection[]) => sections.map(({ heading }) => heading);
const chartsOf = (runs: readonly RunView[], heading: string) =>
  chartSections(runs)
    .find((section) => section.heading === heading)!
    .charts.filter(({ lines }) => lines.length > 0);
const labels = (runs: readonly RunView[], heading: string) =>
  chartsOf(runs, heading).map(({ title, lines }) => [title, ...lines.map(({ label }) => label)]);

const epochs: LogLine[] = [0, 1, 2].map((epoch) =>
  epochLine(epoch, { 'val/accuracy': epoch, 'train/loss': 3 - epoch, 'val/loss': 4 - epoch }),
);

test('loss comes first, and training, validation and test share a chart in that order', () => {
  const batch: LogLine = { event: 'batch', step: 1, epoch: 0, metrics: { 'train/loss': 9 } };
  const test: LogLine = { event: 'test', step: 30, metrics: { 'test/loss': 1 } };
  expect(labels([viewOf([batch, ...epochs, test])], 'Loss and metrics')).toEqual([
    ['Loss', 'batch/loss', 'train/loss', 'val/loss', 'test/loss'],
    ['Accuracy', 'val/accuracy'],
  ]);
});

test('rates, speed, gradients, memory and what hooks log have their own sections', () => {
  const view = viewOf([
    logged(1, {
      'lr/adam': 0.1,
      'speed/samples-per-second': 100,
      'speed/steps-per-second': 10,
      'grad/norm': 2,
      'grad/norm/dense/kernel': 1,
      'memory/rss-mib': 50,
      'checkpoint/stall_ms': 3,
      'gpu/0/utilization': 7,
      'time/x': 1,
    }),
  ]);
  expect(headings(chartSections([view]))).toEqual([
    'Learning rate and throughput',
    'Gradients',
    'Logged by hooks',
    'Memory',
  ]);
  expect(labels([view], 'Learning rate and throughput')).toEqual([
    ['Learning rate', 'lr/adam'],
    ['Samples per second', 'speed/samples-per-second'],
  ]);
  expect(labels([view], 'Gradients')[1]).toEqual(['Norm by parameter', 'dense/kernel']);
  expect(labels([view], 'Logged by hooks')).toEqual([['checkpoint/stall_ms', 'checkpoint/stall_ms']]);
  expect(labels([view], 'Memory')).toEqual([
    ['Memory of the process (MiB)', 'memory/rss-mib'],
    ['Graphics cards: use in percent', 'gpu/0/utilization'],
  ]);
});

test('steps per second stand in where samples were not counted', () => {
  expect(
    labels([viewOf([logged(1, { 'speed/steps-per-second': 5 })])], 'Learning rate and throughput'),
  ).toEqual([['Steps per second', 'speed/steps-per-second']]);
});

test('of many parameters the eight with the largest norm are drawn, and the chart says so', () => {
  const norms = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`grad/norm/p${at}`, at]));
  const [chart] = chartsOf([viewOf([logged(1, norms)])], 'Gradients');
  expect(chart!.lines.map(({ label }) => label)).toEqual([
    'p29',
    'p28',
    'p27',
    'p26',
    'p25',
    'p24',
    'p23',
    'p22',
  ]);
  expect(chart!.note).toBe('The 8 largest of 30; the others are in log.jsonl.');
});

test('a thousand metrics make a bounded number of charts', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`m/${at}`, at]));
  const measured = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`val/${at}`, at]));
  const charts = chartSections([viewOf([logged(1, many), epochLine(0, measured)])]).flatMap(
    ({ charts }) => charts,
  );
  expect(charts.filter(({ lines }) => lines.length > 0)).toHaveLength(48);
});

test('the best epoch is marked in the chart of its metric only, and resumes in every chart', () => {
  const view = viewOf([
    ...epochs.slice(0, 2),
    { event: 'start', step: 20, epoch: 2 },
    ...epochs.slice(2),
    logged(30, { 'lr/sgd': 1 }),
  ]);
  const [loss, accuracy] = chartsOf([view], 'Loss and metrics');
  expect(loss!.best).toEqual({ step: 30, value: 2, label: 'best, epoch 3' });
  expect(accuracy!.best).toBeUndefined();
  for (const { marks } of [loss!, accuracy!, ...chartsOf([view], 'Learning rate and throughput')]) {
    expect(marks).toEqual([{ step: 20, label: 'resumed at step 20' }]);
  }
});

test('runs in one chart have a colour each; validation is solid, training dashed, single batches are left out', () => {
  const batch: LogLine = { event: 'batch', step: 1, epoch: 0, metrics: { 'train/loss': 9 } };
  const runs = ['a', 'b'].map((id) => viewOf([batch, ...epochs], { id }));
  const [loss] = chartsOf(runs, 'Loss and metrics');
  expect(loss!.lines.map(({ label, color, isDashed }) => [label, color, isDashed])).toEqual([
    ['a train/loss', 0, true],
    ['a val/loss', 0, false],
    ['b train/loss', 1, true],
    ['b val/loss', 1, false],
  ]);
  expect([loss!.best, loss!.marks]).toEqual([undefined, []]);
});

test('a run that lacks a metric of another one is left out of its chart', () => {
  const runs = [viewOf([logged(1, { 'lr/sgd': 1 })], { id: 'a' }), viewOf(epochs, { id: 'b' })];
  expect(labels(runs, 'Learning rate and throughput')).toEqual([['Learning rate', 'a lr/sgd']]);
});
