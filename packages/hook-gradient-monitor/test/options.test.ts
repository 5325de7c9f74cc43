import { expect, test } from 'vitest';
import { gradientMonitor } from '../src/index.js';

test('an unknown option is reported with the nearest name', () => {
  expect(() => gradientMonitor({ percentile: [50] } as never)).toThrow(
    /unknown option "percentile".*Did you mean "percentiles"\?/,
  );
});

test('every wrong value is reported, with what was expected', () => {
  const wrong = {
    every: 0,
    params: [],
    gradients: 'clipped',
    norm: 1,
    stats: ['zeroes'],
    percentiles: [10, 101],
    histogram: 'yes',
    vanishing: -1,
    exploding: true,
  };
  const problems = [
    '"every" must be a whole number of at least 1, got 0',
    '"params" must be a path, a glob, a RegExp, a list of these, or a function of the path',
    '"gradients" must be "raw" or "applied" or "both", got "clipped"',
    '"norm" must be true or false, got 1',
    '"stats" must be a list of min, max, mean, std, zeros, nonfinite, update-ratio (no "zeroes". Did you mean "zeros"?)',
    '"percentiles" must be a list of numbers from 0 to 100',
    '"histogram" must be true or false',
    '"vanishing" must be a number of at least 0 or false, got -1',
    '"exploding" must be a number of at least 0 or false, got true',
  ];
  for (const problem of problems) expect(() => gradientMonitor(wrong as never)).toThrow(problem);
});

test('parameters can be given in every way', () => {
  for (const params of ['a', 'a/**', /a/, ['a', /b/], () => true])
    expect(gradientMonitor({ params }).name).toBe('gradient-monitor');
  for (const params of ['', [''], [3], 3, [() => true]])
    expect(() => gradientMonitor({ params } as never)).toThrow(/"params" must be/);
});

test('the factory carries its options as a schema for the registry', async () => {
  const result = await gradientMonitor.options['~standard'].validate({ evry: 10 });
  expect(result.issues?.[0]?.message).toContain('Did you mean "every"?');
});
