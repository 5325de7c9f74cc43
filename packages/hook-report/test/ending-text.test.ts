import { resolve } from 'node:path';
import type { LogLine } from '@hookline/run-view';
import { epochLine, viewOf } from '@hookline/test-support/run-views';
import { afterEach, expect, test, vi } from 'vitest';
import { openingLine as inBrowser } from '../src/host/browser.js';
import { openingLine } from '../src/host/node.js';
import { endingText } from '../src/terminal/ending-text.js';

afterEach(() => void vi.unstubAllGlobals());

const epochs = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    epochLine(at, { 'train/loss': 8 / (at + 1), 'val/loss': 9 / (at + 1) }),
  );
const batches = (count: number) =>
  Array.from(
    { length: count },
    (_, at): LogLine => ({ event: 'batch', step: at, epoch: 0, metrics: { 'train/loss': at } }),
  );

/** Titles of the curves. */
const titles = (lines: readonly LogLine[]) =>
  endingText(viewOf(lines), undefined).split('\n')[1]?.trim().split(/ {2,}/);

test('training and validation stand side by side, between their highest and lowest values', () => {
  const lines = endingText(viewOf(epochs(8)), 'runs/a/report.html').split('\n');
  expect(titles(epochs(8))).toEqual(['train/loss 8 → 1', 'val/loss 9 → 1.125']);
  expect(lines[2]).toMatch(/^8 ┤.* {3} +9 ┤/);
  expect(lines[6]).toMatch(/^1 ┤.* {3}1\.125 ┤/);
  expect(lines.slice(2, 7).every((line) => line.length <= 80)).toBe(true);
});

test('too few epochs for a curve: the batches stand in, and one point is none', () => {
  expect(titles([...batches(5), ...epochs(2)])).toEqual(['batch/loss 0 → 4']);
  expect(endingText(viewOf(epochs(1)), undefined)).toBe('Best    val/loss 9 in epoch 1\n');
  expect(endingText(viewOf(), undefined)).toBe('');
});

test('a loss of many orders is drawn by its logarithm: it does not lie flat at the bottom', () => {
  const steep = [1000, 100, 10, 1].map((loss, at) => epochLine(at, { 'train/loss': loss }));
  const [, , ...rows] = endingText(viewOf(steep), undefined).split('\n');
  // The middle of the curve is in the middle of the panel.
  expect(rows[2]!.split('│')[1]!.slice(10, 18)).toMatch(/[\u2801-\u28ff]/);
});

test('a name cannot steer the terminal', () => {
  const view = viewOf(epochs(3), { best: { metric: 'val/loss', value: 1, epoch: 1 } });
  const series = view.series.get('train/loss')!;
  expect(endingText({ ...view, series: new Map([['train/loss', series]]) }, undefined)).not.toContain(
    '\u001b',
  );
  const evil = viewOf([], { best: { metric: '\u001b[2Jval/loss', value: 1, epoch: 1 } });
  expect(endingText(evil, undefined)).not.toContain('\u001b');
});

test('the page is named by its whole path, with the command that opens it', () => {
  expect(endingText(viewOf(), 'runs/a/report.html')).toBe(
    `Report  ${resolve('runs/a/report.html')}\n${openingLine(resolve('runs/a/report.html'))}`,
  );
});

test.each([
  ['linux', 'Open    xdg-open /a/b.html\n'],
  ['darwin', 'Open    open /a/b.html\n'],
  ['win32', 'Open    start "" /a/b.html\n'],
])('on %s', (platform, line) => {
  vi.stubGlobal('process', { ...process, platform });
  expect(openingLine('/a/b.html')).toBe(line);
});

test('a path with a space is quoted; in a browser no command reaches the page', () => {
  expect(openingLine('/a b/c.html')).toContain('"/a b/c.html"');
  expect(inBrowser('/a/b.html')).toBe('');
});
