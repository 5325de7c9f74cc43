import { expect, test } from 'vitest';
import { lrMonitor } from '../src/index.js';

test('an unknown option is reported with the nearest name', () => {
  expect(() => lrMonitor({ freqency: 'step' } as never)).toThrow(/"freqency".*Did you mean "frequency"\?/);
});

test('every wrong value is reported, with what was expected', () => {
  expect(() => lrMonitor({ frequency: 'batch', momentum: 1, weightDecay: 'no' } as never)).toThrow(
    /"frequency" must be "step" or "epoch", got "batch".*"momentum" must be true or false.*"weightDecay" must be/s,
  );
});

test('the factory carries its options as a schema for the registry', async () => {
  const result = await lrMonitor.options['~standard'].validate({ momentun: true });
  expect(result.issues?.[0]?.message).toContain('Did you mean "momentum"?');
});
