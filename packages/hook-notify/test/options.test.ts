import { expect, test } from 'vitest';
import { notify } from '../src/index.js';

test('an unknown option is reported with the nearest name', () => {
  expect(() => notify({ retrys: 3 } as never)).toThrow(/unknown option "retrys".*Did you mean "retries"\?/);
  expect(() => notify({ timeout: 3 } as never)).toThrow(/has no option "timeout".*"timeoutMs"/);
});

test('an unknown event is reported with the nearest name', () => {
  expect(() => notify({ on: ['ends'] as never })).toThrow(
    /"on" must be a list of start, end, failure, best, plateau \(no "ends"\. Did you mean "end"\?\)/,
  );
  expect(() => notify({ on: [] })).toThrow(/"on" must be a list/);
  expect(() => notify({ on: 'end' as never })).toThrow(/"on" must be a list/);
});

test('a wrong value is reported with what was expected', () => {
  expect(() => notify({ timeoutMs: 0, retries: -1, plateau: 0, format: 'teams' as never })).toThrow(
    /"timeoutMs" must be a whole number from 1 to 600000.*\n.*"retries".*\n.*"plateau".*\n.*"format" must be "slack" or "discord" or "json"/,
  );
});

test('a metric where higher is better asks for the mode, when it is compared at all', () => {
  expect(() => notify({ on: ['best'], monitor: 'val/accuracy' })).toThrow(/"mode" is not given/);
  expect(() => notify({ on: ['best'], monitor: 'val/accuracy', mode: 'max' })).not.toThrow();
  expect(() => notify({ monitor: 'val/accuracy' })).not.toThrow();
});
