import type { HistogramView } from '@hookline/run-view';
import { expect, test } from 'vitest';
import { heatmapFigure } from '../src/page/heatmap.js';

const histogram = (step: number, edges: number[], counts: number[]): HistogramView => ({
  step,
  edges,
  counts,
});
const drawn = (...histograms: HistogramView[]) => heatmapFigure('w', histograms)!.text;

/** The cells, with how dark they are. */
function cellsOf(html: string): { x: number; y: number; opacity: number }[] {
  return [...html.matchAll(/<path d="([^"]*)" style="opacity:([\d.]+)"/g)].flatMap(([, path, opacity]) =>
    [...path!.matchAll(/M([\d.]+) ([\d.]+)/g)].map(([, x, y]) => ({
      x: Number(x),
      y: Number(y),
      opacity: Number(opacity),
    })),
  );
}

test('a column for each moment, larger values higher, more of them darker', () => {
  const cells = cellsOf(drawn(histogram(1, [0, 1, 2], [1, 9]), histogram(2, [0, 1, 2], [4, 0])));
  const [first, second] = [64, 192];
  expect(new Set(cells.map(({ x }) => x))).toEqual(new Set([first, second]));
  const at = (x: number, isUpper: boolean) => cells.find((cell) => cell.x === x && cell.y < 66 === isUpper);
  expect(at(first, true)!.opacity).toBe(1);
  expect(at(first, false)!.opacity).toBeLessThan(0.5);
  // In the second everything lies in the lower half.
  expect([at(second, true), at(second, false)!.opacity]).toEqual([undefined, 1]);
});

test('histograms with ranges of their own share one scale, which the axis names', () => {
  const html = drawn(histogram(3, [-1, 0], [5]), histogram(9, [0, 3], [5]));
  expect(html).toContain('aria-label="w: from -1 to 3, steps 3 to 9"');
  const cells = cellsOf(html);
  const heights = (x: number) => cells.filter((cell) => cell.x === x).map(({ y }) => y);
  // A quarter of the range in the first, three quarters above it in the second.
  expect(heights(64)).toHaveLength(6);
  expect(heights(192)).toHaveLength(18);
  expect(Math.min(...heights(64))).toBeGreaterThan(Math.max(...heights(192)));
});

test('of a long run 32 moments are shown, the first and the last among them', () => {
  const html = drawn(...Array.from({ length: 100 }, (_, step) => histogram(step, [0, 1], [1])));
  expect(new Set(cellsOf(html).map(({ x }) => x)).size).toBe(32);
  expect(html).toContain('steps 0 to 99');
});

test('all values in one place are drawn, and a histogram with what is not a number is left out', () => {
  expect(cellsOf(drawn(histogram(1, [5, 5], [3]))).length).toBeGreaterThan(0);
  expect(heatmapFigure('w', [histogram(1, [0, Number.NaN], [1])])).toBeUndefined();
  expect(heatmapFigure('w', [])).toBeUndefined();
});

test('the name is text, and a long number is not cut off at the left', () => {
  const html = heatmapFigure('<script>', [histogram(1, [-0.0539251, 0.1], [1])])!.text;
  expect(html).not.toContain('<script>');
  // Seven pixels a character, and what stands between the label and the cells.
  expect(html).toMatch(/<text class="y" x="58"[^>]*>-0\.05393</);
});
