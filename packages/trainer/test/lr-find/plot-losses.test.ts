import { errorOf, regression, regressor } from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import { plotLosses } from '../../src/lr-find/plot-losses.js';
import { suggestRates } from '../../src/lr-find/suggest-rates.js';
import { expectError } from '../support/fit-error.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const RATES = Array.from({ length: 61 }, (_, step) => 10 ** (-6 + step / 10));
const rowsOf = (losses: readonly number[], suggestion?: number) =>
  plotLosses(RATES.slice(0, losses.length), losses, suggestion).split('\n');
/** The rows and columns of the dots, from the top left. */
const dotsOf = (rows: readonly string[]) =>
  rows.slice(0, 12).flatMap((row, y) => {
    const line = row.slice(row.search(/[┤│]/) + 1);
    return [...line].flatMap((sign, x) => (sign === '•' ? [[x, y] as const] : []));
  });

describe('the plot of a sweep', () => {
  test('has a dot for each rate, the highest loss on top and the lowest at the bottom', () => {
    const rows = rowsOf(RATES.map((_, step) => 60 - step));
    const dots = dotsOf(rows);
    expect([dots[0], dots.at(-1)]).toEqual([
      [0, 0],
      [59, 11],
    ]);
    expect(rows[0]).toMatch(/^60 ┤/);
    expect(rows[11]).toMatch(/^ 0 ┤/);
    expect(new Set(dots.map(([x]) => x)).size).toBe(60);
  });

  test('cuts off what explodes, so that the fall before it is seen', () => {
    const losses = RATES.map((_, step) => (step < 60 ? 10 - step / 10 : 1e9));
    const [top] = rowsOf(losses);
    // As far above the start as the fall is deep.
    expect(top).toMatch(/^15\.9 ┤/);
    expect(dotsOf(rowsOf(losses)).filter(([x]) => x === 59)).toContainEqual([59, 0]);
  });

  test('of a constant, of one point and of negative losses is drawn', () => {
    expect(dotsOf(rowsOf(RATES.map(() => 3))).every(([, y]) => y === 11)).toBe(true);
    expect(dotsOf(rowsOf([3]))).toEqual([[0, 11]]);
    expect(rowsOf([-1, -2, -30_000])[11]).toMatch(/^-3\.0e\+4 ┤/);
    expect(rowsOf([-1, -2])[11]).toMatch(/^-2 ┤/);
  });

  test('names both ends of the rates, and marks the suggestion below its place', () => {
    const rows = rowsOf(
      RATES.map((_, step) => -step),
      1e-3,
    );
    expect(rows[13]).toMatch(/^ +1\.0e-6 +1$/);
    const column = rows[14]!.indexOf('^') - (rows[12]!.indexOf('└') + 1);
    expect([column, rows[14]!.trim()]).toEqual([30, '^ lr 0.001']);
  });
});

describe('suggested rates', () => {
  test('belong to the largest fall, not to the first', () => {
    const losses = [5, 4.5, 5, 5, 3, 1, 1, 8];
    const { valley, steepest } = suggestRates(RATES, losses);
    for (const rate of [valley!, steepest!]) {
      expect(rate).toBeGreaterThanOrEqual(RATES[3]!);
      expect(rate).toBeLessThanOrEqual(RATES[5]!);
    }
  });

  test('are none of a single point, and there for two', () => {
    expect(suggestRates([1], [1])).toEqual({ valley: undefined, steepest: undefined });
    expect(suggestRates([1, 4], [2, 1])).toEqual({ valley: 2, steepest: 4 });
  });
});

describe('lrFind() says what to write instead of', () => {
  const train = regression(8);
  test.each([
    ['minLr', '"from"'],
    ['startLr', '"from"'],
    ['maxLr', '"to"'],
    ['endLr', '"to"'],
    ['numTraining', '"steps"'],
    ['numIt', '"steps"'],
    ['earlyStopThreshold', '"divergence"'],
    ['epochs', 'steps: 100'],
  ])('%s', async (name, hint) => {
    const error = await errorOf(quietTrainer({ model: regressor() }).lrFind({ train, [name]: 1 } as never));
    expectError(error, 'BAD_OPTIONS', 'lrFind()', hint);
  });

  test.each([
    [{ to: -1 }, '"to" must be'],
    [{ batchSize: 0 }, '"batchSize" must be'],
    [{ divergence: 0 }, '"divergence" must be'],
    [{ steps: 2.5 }, '"steps" must be'],
  ])('%j', async (options, words) => {
    const error = await errorOf(quietTrainer({ model: regressor() }).lrFind({ train, ...options }));
    expectError(error, 'BAD_OPTIONS', words);
  });

  test('data without a batch', async () => {
    const empty = () => (function* () {})();
    const error = await errorOf(quietTrainer({ model: regressor() }).lrFind({ train: empty as never }));
    expectError(error, 'BAD_DATA', 'Loader "train" gave no batch.');
  });
});
