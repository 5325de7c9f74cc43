import type { OptionsOf } from '@hookline/hook-api';
import { expectTypeOf, test } from 'vitest';
import { type CheckpointMonitor, type CheckpointOptions, checkpoint } from '../src/index.js';

test('the options of "checkpoint" are known by its name wherever the package is loaded', () => {
  expectTypeOf<OptionsOf<'checkpoint'>>().toEqualTypeOf<CheckpointOptions>();
  const options: OptionsOf<'checkpoint'> = { saveTopK: 1, every: { steps: 100 } };
  checkpoint(options);
});

test('one metric, or a list of names and of metrics with their own rules', () => {
  checkpoint({ monitor: 'val/loss' });
  checkpoint({ monitor: ['val/loss', { metric: 'val/accuracy', mode: 'max', saveTopK: 1 }] });
  expectTypeOf<CheckpointMonitor>().toHaveProperty('metric').toEqualTypeOf<string>();
  // @ts-expect-error A monitor has a metric.
  checkpoint({ monitor: [{ mode: 'max' }] });
  // @ts-expect-error One of two words.
  checkpoint({ monitor: [{ metric: 'val/accuracy', mode: 'higher' }] });
});

test('a mistyped option does not compile', () => {
  // @ts-expect-error There is no such option.
  const mistyped: OptionsOf<'checkpoint'> = { saveTopk: 3 };
  expectTypeOf(mistyped).toExtend<object>();
});
