import { expect, test } from 'vitest';
import { barLine, barLines, type ProgressView, plainLine } from '../../src/line/progress-line.js';
import { textWidth } from '../../src/line/text-width.js';

const view: ProgressView = {
  label: 'epoch 3/10',
  done: 21,
  total: 40,
  perSecond: 312.4,
  etaSeconds: 12,
  runEtaSeconds: 220,
  loss: 0.123456,
  learningRates: [0.001, 0.001],
  metrics: { 'val/loss': 0.2, 'val/accuracy': 0.9312345 },
};

test('a wide terminal shows everything: epoch, bar, share, batches, rate, ETA, loss, lr and validation metrics', () => {
  expect(barLine(view, 160)).toBe(
    'epoch 3/10  ███████████████░░░░░░░░░░░░░░░   52%  21/40  312 batch/s  ETA 0:12  run 3:40  loss 0.1235  ' +
      'lr 0.001  val/loss 0.2000  val/accuracy 0.9312',
  );
});

test('no width makes the line wrap, and the last column stays free', () => {
  for (let columns = 1; columns <= 200; columns++) {
    expect(textWidth(barLine(view, columns)), `at ${columns} columns`).toBeLessThan(columns);
  }
});

test('a narrow terminal gives up lr, run, metrics, rate, ETA, share and bar in this order', () => {
  const order = ['lr ', 'run ', 'val/accuracy', 'val/loss', 'batch/s', 'ETA', '%', '░', ' loss'];
  const given = new Set<string>();
  for (let columns = 160; columns > 0; columns--) {
    const missing = order.filter((part) => !barLine(view, columns).includes(part));
    expect(missing, `at ${columns} columns`).toEqual(order.slice(0, missing.length));
    given.add(missing.join());
  }
  expect(given.size).toBe(order.length + 1);
});

test('epoch, batches and loss are kept longest, and in the end the line is cut', () => {
  expect(barLine(view, 80)).toBe(
    'epoch 3/10  █████████░░░░░░░░░   52%  21/40  312 batch/s  ETA 0:12  loss 0.1235',
  );
  expect(barLine(view, 40)).toBe('epoch 3/10  21/40  loss 0.1235');
  expect(barLine(view, 30)).toBe('epoch 3/10  21/40');
  expect(barLine(view, 8)).toBe('epoch 3');
});

test('lines below each other have bars in one column and of one length, each line gives up what it must', () => {
  const epoch: ProgressView = {
    label: 'epoch 3/10',
    done: 40,
    total: 40,
    perSecond: 200,
    loss: 0.5,
    learningRates: [0.01],
  };
  const validating: ProgressView = { label: 'validating', done: 5, total: 20, perSecond: 10, etaSeconds: 2 };
  expect(barLines([epoch, validating], 80)).toEqual([
    `epoch 3/10  ${'█'.repeat(19)}  100%  40/40  200 batch/s  loss 0.5000  lr 0.01`,
    `validating  ${'█'.repeat(4)}${'░'.repeat(15)}   25%   5/20  10.0 batch/s  ETA 0:02`,
  ]);
  expect(barLines([{ ...epoch, label: 'epoch 3/1000' }, validating], 50)).toEqual([
    `epoch 3/1000  ${'█'.repeat(9)}  100%  40/40  loss 0.5000`,
    `validating    ${'█'.repeat(2)}${'░'.repeat(7)}   25%   5/20  ETA 0:02`,
  ]);
  expect(barLines([epoch, validating], 24)).toEqual(['epoch 3/10  40/40', 'validating   5/20']);
});

test('an unknown number of batches shows the count, without bar, share and ETA', () => {
  expect(barLine({ label: 'epoch 1/2', done: 7, perSecond: 3.456, loss: 1 }, 120)).toBe(
    'epoch 1/2  batch 7  3.46 batch/s  loss 1.000',
  );
});

test('the bar is empty at the start and full at the end, not before', () => {
  const bar = (done: number) => barLine({ label: 'epoch 1/1', done, total: 1000 }, 60).match(/[█░]+/)![0];
  expect(bar(0)).toBe('░'.repeat(30));
  expect(bar(999)).toBe(`${'█'.repeat(29)}░`);
  expect(bar(1000)).toBe('█'.repeat(30));
});

test('a NaN loss is shown, not hidden', () => {
  expect(plainLine({ ...view, loss: Number.NaN })).toContain('loss NaN');
});

test('a plain line has the same facts and no bar', () => {
  expect(plainLine(view)).toBe(
    'epoch 3/10   52%  21/40  312 batch/s  ETA 0:12  run 3:40  loss 0.1235  lr 0.001  val/loss 0.2000  val/accuracy 0.9312',
  );
});

test('different learning rates are all shown', () => {
  expect(plainLine({ label: 'epoch 1', done: 1, learningRates: [0.1, 0.00001] })).toContain('lr 0.1 0.00001');
});

test('wide characters count twice, and control characters in a name never reach the terminal', () => {
  const metrics = { 'val/損失': 0.5, 'val/\x1b[2Jbad\nname': 0.5 };
  for (let columns = 20; columns <= 120; columns++) {
    const line = barLine({ ...view, metrics }, columns);
    expect(textWidth(line)).toBeLessThan(columns);
    expect(line).not.toMatch(/\p{Control}/u);
  }
  expect(textWidth('val/損失')).toBe(8);
});
