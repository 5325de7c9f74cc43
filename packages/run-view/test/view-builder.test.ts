import { describe, expect, test } from 'vitest';
import { type LogLine, ViewBuilder } from '../src/index.js';

function viewOf(lines: readonly LogLine[], run?: string) {
  const builder = new ViewBuilder(run);
  for (const line of lines) builder.add(line);
  return builder.view();
}

const valuesOf = (lines: readonly LogLine[], name: string) => {
  const points = viewOf(lines).series.get(name)?.points();
  return points && { steps: [...points.steps], epochs: [...points.epochs], values: [...points.values] };
};

const epoch = (number: number, loss: unknown, more = {}): LogLine => ({
  event: 'epoch',
  epoch: number,
  step: 10 * (number + 1),
  metrics: { 'train/loss': 1, 'val/loss': loss },
  ...more,
});

describe('numbers', () => {
  test('of a batch have their own name, beside the mean of the epoch', () => {
    const lines: LogLine[] = [
      { event: 'batch', step: 1, epoch: 0, metrics: { 'train/loss': 3, other: 4 }, lr: { adam: 0.1 } },
      epoch(0, 2, { system: { 'memory/rss': 5 } }),
    ];
    expect([...viewOf(lines).series.keys()]).toEqual([
      'batch/loss',
      'other',
      'lr/adam',
      'train/loss',
      'val/loss',
      'memory/rss',
    ]);
    expect(valuesOf(lines, 'batch/loss')).toEqual({ steps: [1], epochs: [0], values: [3] });
    expect(valuesOf(lines, 'train/loss')).toEqual({ steps: [10], epochs: [0], values: [1] });
  });

  test('that are not finite are read from their names; what is not a number makes no point', () => {
    const metrics = { a: 'NaN', b: '-Infinity', c: 'Infinity', d: 'nan', e: null, f: [1], g: true };
    const { series } = viewOf([{ event: 'log', step: 1, metrics }]);
    expect(Object.fromEntries([...series].map(([name, { latest }]) => [name, latest]))).toEqual({
      a: NaN,
      b: -Infinity,
      c: Infinity,
    });
  });

  test('of the same step replace each other', () => {
    const log = (step: number, a: number): LogLine => ({ event: 'log', step, metrics: { a } });
    expect(valuesOf([log(1, 1), log(1, 2), log(2, 3)], 'a')).toEqual({
      steps: [1, 2],
      epochs: [0, 0],
      values: [2, 3],
    });
  });

  test('the latest of each metric are kept, those of validations, tests and the end too', () => {
    const { metrics } = viewOf([
      epoch(0, 2),
      { event: 'validation', step: 12, metrics: { 'val/loss': 1.5 } },
      { event: 'test', step: 20, metrics: { 'test/loss': 1.7 } },
      { event: 'end', status: 'completed', metrics: { 'val/loss': 1.2 } },
      { event: 'log', step: 20, metrics: { 'grad/norm': 9 } },
    ]);
    expect(metrics).toEqual({ 'train/loss': 1, 'val/loss': 1.2, 'test/loss': 1.7 });
  });
});

describe('epochs', () => {
  test('are listed with what was measured, and whether they were cut short', () => {
    const { epochs } = viewOf([epoch(0, 2), epoch(1, 1, { cutShort: true })]);
    expect(epochs).toEqual([
      { epoch: 0, step: 10, isCutShort: false, metrics: { 'train/loss': 1, 'val/loss': 2 } },
      { epoch: 1, step: 20, isCutShort: true, metrics: { 'train/loss': 1, 'val/loss': 1 } },
    ]);
  });

  test('the best one counts from 1, and NaN is never it', () => {
    expect(viewOf([epoch(0, 2), epoch(1, 'NaN'), epoch(2, 1), epoch(3, 3)]).best).toEqual({
      metric: 'val/loss',
      value: 1,
      epoch: 3,
    });
  });

  test('a run that is taken up from a checkpoint does what came after it again', () => {
    const lines = [
      epoch(0, 5),
      epoch(1, 4),
      epoch(2, 3),
      { event: 'start', step: 20, epoch: 2 },
      epoch(2, 2),
    ];
    const { epochs, resumes } = viewOf(lines);
    expect(resumes).toEqual([{ step: 20, epoch: 2 }]);
    expect(epochs.map(({ metrics }) => metrics['val/loss'])).toEqual([5, 4, 2]);
    expect(valuesOf(lines, 'val/loss')!.values).toEqual([5, 4, 2]);
  });

  test('what was measured after the checkpoint counts no longer, until it is measured again', () => {
    const lines: LogLine[] = [
      epoch(0, 5),
      epoch(1, 1, { metrics: { 'val/loss': 1, 'val/late': 7 } }),
      { event: 'start', step: 10, epoch: 1 },
    ];
    const { metrics, best } = viewOf(lines);
    expect(metrics).toEqual({ 'train/loss': 1, 'val/loss': 5 });
    expect(best).toMatchObject({ value: 5, epoch: 1 });
    expect(viewOf([...lines, epoch(1, 3)]).metrics).toEqual({ 'train/loss': 1, 'val/loss': 3 });
  });

  test('a start at step 0 is a start, and says how much is planned', () => {
    const view = viewOf([{ event: 'start', step: 0, epoch: 0, epochs: 7, batchesPerEpoch: 3 }]);
    expect(view).toMatchObject({ resumes: [], plannedEpochs: 7, batchesPerEpoch: 3 });
  });
});

describe('the end', () => {
  test.each<[LogLine, object | undefined]>([
    [{ event: 'end', status: 'completed' }, { status: 'completed' }],
    [
      { event: 'end', status: 'stopped', stopReason: 'enough' },
      { status: 'stopped', stopReason: 'enough' },
    ],
    [
      { event: 'error', error: { message: 'no' } },
      { status: 'error', failure: 'no' },
    ],
    [
      { event: 'error', error: 7 },
      { status: 'error', failure: 'an error' },
    ],
    [
      { event: 'killed', signal: 'SIGTERM' },
      { status: 'stopped', stopReason: 'killed by SIGTERM' },
    ],
    [{ event: 'end', status: 'exploded' }, undefined],
  ])('%j', (line, ended) => {
    expect(viewOf([line]).ended).toEqual(ended);
  });

  test('a run that continues has none', () => {
    expect(
      viewOf([
        { event: 'end', status: 'stopped' },
        { event: 'start', step: 10 },
      ]).ended,
    ).toBeUndefined();
  });
});

test('lines of other runs in the same file are passed over; a line without a run belongs to this one', () => {
  const lines = ['a', 'b', undefined].map((run, step) => ({ event: 'log', run, step, metrics: { x: step } }));
  const builder = new ViewBuilder('b');
  for (const line of lines) builder.add(line);
  expect([...builder.view().series.get('x')!.points().values]).toEqual([1, 2]);
  expect(builder.lines).toBe(2);
});

test('whatever a log says, what is kept is bounded, and what is left out is counted', () => {
  const metrics = Object.fromEntries(Array.from({ length: 10_050 }, (_, i) => [`m/${i}`, i]));
  const warnings = Array.from({ length: 510 }, () => ({ event: 'warning', message: 'w'.repeat(9_000) }));
  const view = viewOf([{ event: 'log', step: 1, metrics }, ...warnings, { event: 'warning', message: 7 }]);
  expect(view.series.size).toBe(10_000);
  expect(view.warnings).toHaveLength(500);
  expect(view.warnings[0]!.message).toHaveLength(4_000);
  expect(view.skippedLines).toBe(50 + 10 + 1);
});

describe('histograms', () => {
  const histogram = (step: number, more = {}): LogLine => ({
    event: 'histogram',
    name: 'w',
    step,
    edges: [0, 1, 2],
    counts: [3, 4],
    ...more,
  });

  test('are listed by name, in the order of their steps', () => {
    const { histograms } = viewOf([histogram(1), histogram(2, { counts: [5, 6] })]);
    expect(histograms.get('w')).toEqual([
      { step: 1, edges: [0, 1, 2], counts: [3, 4] },
      { step: 2, edges: [0, 1, 2], counts: [5, 6] },
    ]);
  });

  test.each([
    ['without a name', { name: undefined }],
    ['with an edge too few', { edges: [0, 1] }],
    ['without counts', { edges: [0], counts: [] }],
    ['of too many buckets', { edges: Array(514).fill(0), counts: Array(513).fill(0) }],
    ['that is text', { edges: 'abc', counts: 'ab' }],
  ])('one %s is left out', (_what, more) => {
    expect(viewOf([histogram(1, more)]).histograms.size).toBe(0);
  });

  test('of a long run are thinned evenly, so that all of it stays covered', () => {
    const list = viewOf(Array.from({ length: 1_000 }, (_, step) => histogram(step))).histograms.get('w')!;
    expect(list.length).toBeLessThan(128);
    expect(list.length).toBeGreaterThan(60);
    const gaps = new Set(list.slice(1).map(({ step }, at) => step - list[at]!.step));
    expect([...gaps]).toHaveLength(1);
    expect(list[0]!.step).toBe(0);
    expect(list.at(-1)!.step).toBeGreaterThan(980);
  });
});
