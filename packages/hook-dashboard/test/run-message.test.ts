import { growingView, logged } from '@hookline/test-support/run-views';
import { expect, test } from 'vitest';
import { News, wholeMessage } from '../src/server/run-message.js';

test('a whole message has all points; what follows has only the new ones', () => {
  const run = growingView();
  const first = run.add(logged(1, { loss: 3 }), logged(2, { loss: 2 }));
  expect(wholeMessage(first)).toMatchObject({
    isWhole: true,
    series: {
      loss: [
        [1, 2],
        [3, 2],
      ],
    },
  });
  const news = new News();
  news.skip(first);
  expect(news.of(run.add(logged(3, { loss: 1, other: 5 })))).toMatchObject({
    isWhole: false,
    series: { loss: [[3], [1]], other: [[3], [5]] },
  });
  expect(news.of(run.add()).series).toEqual({});
});

test('what a run does again after a resume within its log needs everything again', () => {
  const run = growingView();
  const news = new News();
  news.skip(run.add(logged(1, { loss: 3 }), logged(2, { loss: 2 }), logged(3, { loss: 1 })));
  expect(news.isOutdated(run.add(logged(4, { loss: 1 })))).toBe(false);
  news.of(run.add());
  const again = run.add({ event: 'start', step: 1, epoch: 0 });
  expect(news.isOutdated(again)).toBe(true);
  news.skip(again);
  expect(news.isOutdated(again)).toBe(false);
  expect(news.of(run.add(logged(2, { loss: 9 }))).series).toEqual({ loss: [[2], [9]] });
});

test('a value that is not finite is null, others have seven digits', () => {
  const view = growingView().add(logged(1, { a: 'NaN', b: 'Infinity', c: 1 / 3 }));
  expect(wholeMessage(view).series).toEqual({ a: [[1], [null]], b: [[1], [null]], c: [[1], [0.3333333]] });
});

test('whatever was logged, a message is bounded: points, series, warnings', () => {
  const run = growingView();
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`m/${at}`, at]));
  for (let step = 0; step < 5_000; step++)
    run.add(logged(step, { loss: step === 4_321 ? 1e6 : Math.sin(step) }));
  for (let at = 0; at < 80; at++) run.add({ event: 'warning', step: at, message: `w${at}` });
  const { series, warnings } = wholeMessage(run.add(logged(5_000, { ...many, 'a/b/c/d': 1 })));
  expect(Object.keys(series)).toHaveLength(100);
  expect(series.loss![0].length).toBeLessThanOrEqual(2_000);
  expect(series.loss![1]).toContain(1e6);
  expect(warnings.map(({ message }) => message)).toEqual(
    Array.from({ length: 50 }, (_, at) => `w${at + 30}`),
  );
  // Those of single parameters would fill the page.
  expect(series).not.toHaveProperty('a/b/c/d');
});

test('its state is in every message', () => {
  const epoch = (number: number, cutShort: boolean) => ({
    event: 'epoch',
    epoch: number,
    step: number,
    metrics: {},
    cutShort,
  });
  const view = growingView({
    folder: '/somewhere/runs/20260101',
    status: 'stopped',
    stopReason: 'enough',
    backend: 'wasm',
    profile: { verdict: 'data is slow', phases: [] },
  }).add({ event: 'start', step: 5, epoch: 1, epochs: 9 }, epoch(1, false), epoch(2, true));
  expect(new News().of(view)).toMatchObject({
    folder: '20260101',
    status: 'stopped',
    stopReason: 'enough',
    backend: 'wasm',
    verdict: 'data is slow',
    resumes: [5],
    // The last one was cut short.
    epochs: 1,
    plannedEpochs: 9,
  });
});
