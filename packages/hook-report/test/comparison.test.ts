import type { RunView } from '@hookline/run-view';
import { epochLine, logged, viewOf } from '@hookline/test-support/run-views';
import { expect, test } from 'vitest';
import { comparisonPage } from '../src/page/page.js';
import { textOf } from './text-of.js';

const run = (id: string, more: Partial<RunView> = {}, loss = 1) =>
  viewOf([epochLine(0, { 'train/loss': 2 * loss, 'val/loss': loss }), logged(10, { 'lr/sgd': 0.1 })], {
    id,
    ...more,
  });

/** The cells of the row with this heading. */
function row(html: string, name: string): string[] | undefined {
  const [, cells] = new RegExp(`<th scope="row">${name}</th>(.*?)</tr>`).exec(html) ?? [];
  return cells === undefined ? undefined : [...cells.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell]) => cell!);
}

test('runs stand side by side: how they ended, how far they came, their last numbers', () => {
  const html = comparisonPage([
    run('a', { plannedEpochs: 1, durationMs: 2_000 }),
    run(
      'b',
      { status: 'stopped', stopReason: 'enough', best: { metric: 'val/loss', value: 0.5, epoch: 1 } },
      3,
    ),
    run('c', { status: 'error', failure: 'the disk is full' }),
  ]);
  expect(row(html, 'status')).toEqual(['completed', 'stopped', 'error']);
  expect(row(html, 'ended by')).toEqual(['', 'enough', 'the disk is full']);
  expect(row(html, 'epochs')).toEqual(['1 of 1', '1', '1']);
  expect(row(html, 'took')).toEqual(['2 s', '', '']);
  expect(row(html, 'val/loss')).toEqual(['1', '3', '1']);
  expect(row(html, 'best')![1]).toBe('val/loss 0.5, epoch 1');
});

test('only settings that differ are listed, however deep, under the names of the runs', () => {
  const config = (lr: number, more = {}) => ({
    seed: 1,
    optimizer: { name: 'sgd', lr },
    hooks: ['a'],
    ...more,
  });
  const html = comparisonPage([
    run('a', { config: config(0.1) }),
    run('b', { config: config(0.2, { extra: true }) }),
  ]);
  const [, differing] = /Where they differ<\/h2>(.*?)<\/section>/s.exec(html)!;
  expect(textOf(differing!)).toBe('a b optimizer.lr 0.1 0.2 extra true');
  expect(row(html, 'extra')).toEqual(['', 'true']);
});

test('runs of the same configuration have no such table', () => {
  const same = { config: { seed: 1 } };
  expect(comparisonPage([run('a', same), run('b', same)])).not.toContain('Where they differ');
});

test('a thousand differences and a thousand metrics are cut to what can be read', () => {
  const many = (value: number) =>
    Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, value]));
  const metrics = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`val/${at}`, at]));
  const html = comparisonPage([
    run('a', { config: many(1), metrics }),
    run('b', { config: many(2), metrics }),
  ]);
  expect(html.match(/<th scope="row">k\d+<\/th>/g)).toHaveLength(100);
  expect(html.match(/<th scope="row">val\/\d+<\/th>/g)).toHaveLength(24);
});

test('the runs are drawn into the same charts, and names are text', () => {
  const evil = '<script>alert(1)</script>';
  const html = comparisonPage([
    run(evil, { stopReason: evil, config: { [evil]: evil } }),
    run('b', { config: { [evil]: 1 } }),
  ]);
  expect(html).not.toContain('<script>alert');
  const [, legend] = /<figcaption>Loss[\s\S]*?<ul class="legend">([\s\S]*?)<\/ul>/.exec(html)!;
  expect(textOf(legend!)).toContain('&lt;script&gt;alert(1)&lt;/script&gt; val/loss 1');
  expect(textOf(legend!)).toContain('b val/loss 1');
});
