import { expect, test } from 'vitest';
import { RateMeter } from '../../src/pace/rate-meter.js';

test('a steady pace gives its rate', () => {
  const meter = new RateMeter();
  meter.restart(0, 0);
  for (let second = 1; second <= 10; second++) meter.update(second * 50, second * 1000);
  expect(meter.perSecond).toBeCloseTo(50, 10);
});

test('there is no rate before anything was measured', () => {
  const meter = new RateMeter();
  expect(meter.perSecond).toBeUndefined();
  meter.update(5, 100);
  expect(meter.perSecond).toBeUndefined();
});

test('a change of pace is followed, smoothly', () => {
  const meter = new RateMeter();
  meter.restart(0, 0);
  meter.update(100, 1000);
  meter.update(110, 2000);
  expect(meter.perSecond).toBeCloseTo(0.7 * 100 + 0.3 * 10, 10);
});

test('a pause that is left out does not slow the rate', () => {
  const meter = new RateMeter();
  meter.restart(0, 0);
  meter.update(100, 1000);
  meter.restart(100, 60_000);
  meter.update(200, 61_000);
  expect(meter.perSecond).toBeCloseTo(100, 10);
});

test('two updates at the same time or count measure nothing', () => {
  const meter = new RateMeter();
  meter.restart(0, 0);
  meter.update(10, 1000);
  meter.update(20, 1000);
  meter.update(20, 2000);
  expect(meter.perSecond).toBe(10);
});
