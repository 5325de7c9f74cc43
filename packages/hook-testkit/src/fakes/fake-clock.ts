export interface FakeClock {
  /** Milliseconds, as `performance.now()` gives them. */
  now(): number;
  advance(milliseconds: number): void;
  /** The real clock is back. */
  [Symbol.dispose](): void;
}

/**
 * Stops `Date.now()` and `performance.now()`: time passes only when the test says so. Timers run as usual, because a
 * training run waits for some of them.
 *
 * @example using clock = fakeClock(); clock.advance(1000);
 */
export function fakeClock(): FakeClock {
  const real = { date: Date.now, performance: performance.now };
  // A whole number of milliseconds: with a fraction, the difference of two readings is not what advance() was told.
  const start = { date: Date.now(), performance: Math.round(performance.now()) };
  let passed = 0;
  Date.now = () => start.date + passed;
  performance.now = () => start.performance + passed;
  return {
    now: () => performance.now(),
    advance(milliseconds) {
      passed += milliseconds;
    },
    [Symbol.dispose]() {
      Date.now = real.date;
      performance.now = real.performance;
    },
  };
}
