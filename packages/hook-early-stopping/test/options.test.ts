import { expect, test } from 'vitest';
import { earlyStopping } from '../src/index.js';

test('an unknown option is reported with the nearest name', () => {
  expect(() => earlyStopping({ patients: 3 } as never)).toThrow(
    /unknown option "patients".*Did you mean "patience"\?/,
  );
});

test('every wrong value is reported, with what was expected', () => {
  expect(() => earlyStopping({ patience: 0, minDelta: -1, mode: 'lower' as never })).toThrow(
    /"patience" must be a whole number of at least 1, got 0.*"minDelta" must be.*"mode" must be "min" or "max"/s,
  );
});

test('a metric where higher is better asks for the mode instead of guessing it', () => {
  expect(() => earlyStopping({ monitor: 'val/accuracy' })).toThrow(/mode: "max"/);
  expect(() => earlyStopping({ monitor: 'val/top_5_accuracy' })).toThrow(/mode: "max"/);
  expect(earlyStopping({ monitor: 'val/accuracy', mode: 'max' }).name).toBe('early-stopping');
  expect(earlyStopping({ monitor: 'val/accuracy', mode: 'min' }).name).toBe('early-stopping');
  expect(earlyStopping({ monitor: 'val/braces' }).name).toBe('early-stopping');
});

test('the factory carries its options as a schema for the registry', async () => {
  const result = await earlyStopping.options['~standard'].validate({ monitr: 'x' });
  expect(result.issues?.[0]?.message).toContain('Did you mean "monitor"?');
});
