import { expect, test } from 'vitest';
import { Curves } from '../../src/series/curves.js';
import { seriesOf } from '../../src/series/series.js';
import type { LogContent, LogRecord } from '../../src/session/log-record.js';

const record = (step: number, content: LogContent): LogRecord => ({
  ...{ time: 0, stage: 'fit' as const, epoch: 0, step, seconds: 0 },
  ...content,
});
const batch = (step: number, lr = {}): LogRecord =>
  record(step, {
    ...{ event: 'batch', batch: step - 1, loader: 'train', skipped: false, loss: 1, avgLoss: 2 },
    metrics: { 'train/loss': 1, 'train/accuracy': 0.5 },
    ...{ lr, batchesPerSecond: 10, system: { 'memory/tensors': 7 } },
  });

test('the loss of a batch and the mean of an epoch have different names', () => {
  expect(seriesOf(batch(1), {})).toEqual({ 'batch/loss': 1, 'batch/accuracy': 0.5, 'memory/tensors': 7 });
  const epoch = record(1, {
    ...{ event: 'epoch', batches: 5, cutShort: false, metrics: { 'train/loss': 3 }, epochSeconds: 2 },
    system: { 'time/epoch-seconds': 2 },
  });
  expect(seriesOf(epoch, {})).toEqual({ 'train/loss': 3, 'time/epoch-seconds': 2 });
});

test('an epoch that was cut short has no point among whole ones: its mean is that of a part', () => {
  const epoch = record(3, {
    ...{ event: 'epoch', batches: 3, cutShort: true, metrics: { 'train/loss': 9 }, epochSeconds: 1 },
    system: { 'memory/tensors': 7 },
  });
  expect(seriesOf(epoch, {})).toEqual({ 'memory/tensors': 7 });
});

test('a learning rate that another hook logs is not logged twice', () => {
  const rates = { adam: 0.1, sgd: 0.2 };
  expect(seriesOf(batch(1, rates), { 'lr/adam': 0.1 })).not.toHaveProperty('lr/adam');
  expect(seriesOf(batch(1, rates), { 'lr/adam': 0.1 })).toHaveProperty('lr/sgd', 0.2);
});

test('a skipped batch has no loss', () => {
  const skipped = record(4, {
    ...{ event: 'batch', batch: 3, loader: 'train', skipped: true, metrics: {}, lr: { sgd: 0.1 } },
    ...{ batchesPerSecond: undefined, system: {} },
  });
  expect(seriesOf(skipped, {})).toEqual({ 'lr/sgd': 0.1 });
});

test('events without numbers have none', () => {
  for (const content of [
    { event: 'epoch-start' },
    { event: 'killed', signal: 'SIGTERM' },
    { event: 'error', error: new Error('x') },
    { event: 'histograms', histograms: [] },
  ] as LogContent[]) {
    expect(seriesOf(record(1, content), {})).toEqual({});
  }
});

test('a curve has one point a step: the end of an epoch repeats nothing', () => {
  const curves = new Curves();
  const validation = record(5, { event: 'validation', metrics: { 'val/loss': 4 } });
  const epoch = record(5, {
    ...{
      event: 'epoch',
      batches: 5,
      cutShort: false,
      metrics: { 'train/loss': 3, 'val/loss': 4 },
      epochSeconds: 1,
    },
    system: { 'memory/tensors': 7 },
  });
  expect(Object.keys(curves.of(batch(5), {}))).toContain('memory/tensors');
  expect(curves.of(validation, {})).toEqual({ 'val/loss': 4 });
  expect(curves.of(epoch, {})).toEqual({ 'train/loss': 3 });
  expect(Object.keys(curves.of(batch(6), {}))).toContain('memory/tensors');
});

test('what hooks log is passed on even when the name has a point at this step', () => {
  const curves = new Curves();
  const log = (value: number) => record(2, { event: 'log', scope: 'step', metrics: { 'my/score': value } });
  expect([curves.of(log(1), {}), curves.of(log(2), {})]).toEqual([{ 'my/score': 1 }, { 'my/score': 2 }]);
});
