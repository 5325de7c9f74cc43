import { Series } from '@hookline/run-view';
import { expect, test } from 'vitest';
import { type Chart, type ChartLine, chartFigure } from '../src/page/chart.js';
import { textOf } from './text-of.js';

function lineOf(values: readonly number[], more: Partial<ChartLine> = {}): ChartLine {
  const series = new Series('x');
  for (const [at, value] of values.entries()) series.add(at * 10, 0, value);
  return { label: 'x', color: 0, series, ...more };
}

const drawn = (lines: readonly ChartLine[], more: Partial<Chart> = {}, points = 100) =>
  chartFigure({ title: 'Loss', lines, ...more }, points)!.text;

/** Where a curve goes, in the units of the drawing. */
function pathOf(html: string): { x: number; y: number }[] {
  const [, path] = / d="([^"]*)"/.exec(html)!;
  return [...path!.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));
}

const dataOf = (html: string) =>
  JSON.parse(/<script type="application\/json">(.*?)<\/script>/.exec(html)![1]!) as {
    lines: { label: string; steps: number[]; values: (number | string)[] }[];
  };

test('a curve goes from left to right, and higher values lie higher', () => {
  const [first, second, third] = pathOf(drawn([lineOf([1, 3, 2])]));
  expect([first!.x, third!.x]).toEqual([60, 538]);
  expect(second!.x).toBe(299);
  expect(second!.y).toBeLessThan(third!.y);
  expect(third!.y).toBeLessThan(first!.y);
});

test('lines share one scale: the same value has the same height in each', () => {
  const html = drawn([lineOf([1, 5]), lineOf([5, 9], { label: 'y', color: 1 })]);
  const heights = [...html.matchAll(/ d="M[\d.]+ ([\d.]+)L[\d.]+ ([\d.]+)"/g)];
  expect(heights[0]![2]).toBe(heights[1]![1]);
});

test('a value that is not a number is a gap in the curve and told as what it is', () => {
  const html = drawn([lineOf([1, 2, Number.NaN, 4, Infinity])]);
  expect(html.match(/M[\d.]+ [\d.]+/g)).toHaveLength(2);
  expect(html).not.toMatch(/ d="[^"]*(NaN|Infinity)/);
  expect(dataOf(html).lines[0]!.values).toEqual([1, 2, 'NaN', 4, 'Infinity']);
});

test('one value is a dot', () => {
  expect(drawn([lineOf([4])])).toMatch(/<circle class="line c0 dot"/);
});

test('what has nothing to draw is left out', () => {
  expect(chartFigure({ title: 'Loss', lines: [] }, 100)).toBeUndefined();
  expect(chartFigure({ title: 'Loss', lines: [lineOf([Number.NaN, Infinity])] }, 100)).toBeUndefined();
});

test('a long curve is thinned to what was asked for, and keeps its spikes', () => {
  const series = new Series('x');
  for (let step = 0; step < 50_000; step++) series.add(step, 0, step === 31_337 ? 1e6 : Math.sin(step));
  const html = drawn([{ label: 'x', color: 0, series }], {}, 200);
  const { steps, values } = dataOf(html).lines[0]!;
  expect(steps.length).toBeLessThanOrEqual(200);
  expect(values[steps.indexOf(31_337)]).toBe(1e6);
  expect([steps[0], steps.at(-1)]).toEqual([0, 49_999]);
});

test('its numbers are a table of at most 41 rows, with the first and the last', () => {
  const html = drawn([lineOf(Array.from({ length: 95 }, (_, at) => at))]);
  const rows = html.match(/<tr><th scope="row">\d+<\/th>/g)!;
  expect(rows.length).toBeLessThanOrEqual(41);
  expect([rows[0], rows.at(-1)]).toEqual(['<tr><th scope="row">0</th>', '<tr><th scope="row">940</th>']);
});

test('single batches are drawn behind the rest and have no column in the table', () => {
  const html = drawn([lineOf([1, 2], { label: 'batch/loss', isFaint: true }), lineOf([1, 2])]);
  expect(html).toContain('line c0 faint');
  expect(html).not.toMatch(/<th scope="col">batch\/loss/);
  // Alone, it has.
  expect(drawn([lineOf([1, 2], { label: 'batch/loss', isFaint: true })])).toMatch(
    /<th scope="col">batch\/loss/,
  );
});

test('resumes are marked where they were, and only within the chart', () => {
  const marks = [
    { step: 10, label: 'resumed at step 10' },
    { step: 999, label: 'resumed at step 999' },
  ];
  const html = drawn([lineOf([1, 2, 3])], { marks });
  expect(html).toMatch(/<g class="mark"><line x1="299" x2="299"[^>]*><text[^>]*>resumed at step 10</);
  expect(html).not.toContain('step 999');
});

test('the best is marked at its step and value, with its label on the side that is free', () => {
  const best = (step: number, value: number) =>
    /<g class="best"><circle cx="([\d.]+)" cy="([\d.]+)" r="5"\/><text x="([\d.]+)" y="([\d.]+)"( class="end")?>/
      .exec(drawn([lineOf([5, 1, 9])], { best: { step, value, label: 'best, epoch 2' } }))!
      .slice(1, 6);
  const points = pathOf(drawn([lineOf([5, 1, 9])]));
  const [x, y, textX, textY, end] = best(10, 1);
  expect([Number(x), Number(y)]).toEqual([points[1]!.x, points[1]!.y]);
  expect([Number(textX) > Number(x), end]).toEqual([true, undefined]);
  // Below the lowest point, above the highest; to the left of the last.
  expect(Number(textY)).toBeGreaterThan(Number(y) - 5);
  const [lastX, lastY, beforeX, aboveY, isEnd] = best(20, 9);
  expect(Number(beforeX)).toBeLessThan(Number(lastX));
  expect(Number(aboveY)).toBeLessThanOrEqual(Math.max(Number(lastY), 20));
  expect(isEnd).toBe(' class="end"');
  expect(drawn([lineOf([1])], { best: { step: 0, value: Number.NaN, label: 'best' } })).not.toContain('best');
});

test('somebody who does not see it hears where each line begins and ends', () => {
  const [, told] = /aria-label="([^"]*)"/.exec(drawn([lineOf([4, 2, 1])]))!;
  expect(told).toBe('Loss: x from 4 at step 0 to 1 at step 20. The arrow keys read values.');
});

test('the latest value of each line is in the legend, and a logarithmic scale says so', () => {
  const html = drawn([lineOf([1, 2]), lineOf([1000, 0.5], { label: 'y', color: 9, isDashed: true })]);
  const [legend] = /<ul class="legend">[\s\S]*?<\/ul>/.exec(html)!;
  expect(textOf(legend)).toBe('x 2 y 0.5');
  expect(legend).toContain('<li class="c1 dashed">');
  expect(textOf(html)).toContain('Loss logarithmic');
});

test('names are text in every part of a chart', () => {
  const evil = '"><script>alert(1)</script>';
  const html = drawn([lineOf([1, 2], { label: evil })], {
    title: evil,
    note: evil,
    marks: [{ step: 0, label: evil }],
    best: { step: 0, value: 1, label: evil },
  });
  expect(html).not.toMatch(/<script>|"><script/);
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html.match(/&lt;script&gt;/g)!.length).toBeGreaterThanOrEqual(7);
  expect(dataOf(html).lines[0]!.label).toBe(evil);
});
