import type { OptionsOf } from '@hookline/hook-api';
import { expectTypeOf, test } from 'vitest';
import { type LrMonitorOptions, lrMonitor } from '../src/index.js';

test('the options of "lr-monitor" are known by its name wherever the package is loaded', () => {
  expectTypeOf<OptionsOf<'lr-monitor'>>().toEqualTypeOf<LrMonitorOptions>();
  const options: OptionsOf<'lr-monitor'> = { frequency: 'epoch', momentum: false };
  lrMonitor(options);
});

test('a mistyped option, and a value that is not one of the choices, do not compile', () => {
  // @ts-expect-error There is no such option.
  const mistyped: OptionsOf<'lr-monitor'> = { freqency: 'epoch' };
  // @ts-expect-error One of two words.
  lrMonitor({ frequency: 'batch' });
  expectTypeOf(mistyped).toExtend<object>();
});
