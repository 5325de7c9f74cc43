import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DelayWatch } from '../src/delay-watch.js';

/** The clock of the tests, which timers do not move. */
let now = 0;
beforeEach(() => {
  now = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The timer of ten milliseconds comes so much too late. */
function late(milliseconds: number): void {
  now += 10 + milliseconds;
  vi.advanceTimersByTime(10);
}

test('how late the event loop gets to its timers: mean, 99th percentile to 9 %, and the latest', () => {
  const watch = new DelayWatch();
  for (let at = 0; at < 990; at++) late(1);
  for (let at = 0; at < 10; at++) late(50);
  const { mean, p99, max } = watch.result();
  expect(mean).toBeCloseTo((990 + 500) / 1000, 9);
  expect(p99).toBeGreaterThanOrEqual(1);
  expect(p99).toBeLessThanOrEqual(1.1);
  expect(max).toBe(50);
  late(50);
  expect(watch.result().p99).toBe(50);
  watch.stop();
});

test('a timer that comes early is on time, and one that is hours late is still counted', () => {
  const watch = new DelayWatch();
  late(-3);
  expect(watch.result()).toEqual({ mean: 0, p99: 0, max: 0 });
  late(9e9);
  expect(watch.result().max).toBe(9e9);
  // Its bucket is the last one, of more than an hour.
  expect(watch.result().p99).toBeGreaterThan(3_600_000);
  watch.stop();
});

test('zeros where no timer was due, and nothing is timed once it has stopped', () => {
  const watch = new DelayWatch();
  expect(watch.result()).toEqual({ mean: 0, p99: 0, max: 0 });
  watch.stop();
  late(5);
  expect(watch.result().max).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});
