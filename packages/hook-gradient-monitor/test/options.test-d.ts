import type { Hook, HookOptionsByName, OptionsOf } from '@hookline/hook-api';
import { expectTypeOf, test } from 'vitest';
import { type GradientMonitorOptions, gradientMonitor } from '../src/index.js';

test('its options are known wherever a hook is configured by name', () => {
  expectTypeOf<OptionsOf<'gradient-monitor'>>().toEqualTypeOf<GradientMonitorOptions>();
  const hooks: Partial<HookOptionsByName> = {
    'gradient-monitor': { every: 10, params: ['encoder', /kernel$/] },
  };
  // @ts-expect-error There is no such option.
  hooks['gradient-monitor'] = { evry: 10 };
  // @ts-expect-error There is no such statistic.
  hooks['gradient-monitor'] = { stats: ['median'] };
});

test('the factory takes them and makes one hook', () => {
  expectTypeOf(gradientMonitor).parameter(0).toEqualTypeOf<GradientMonitorOptions | undefined>();
  expectTypeOf(gradientMonitor()).toEqualTypeOf<Hook>();
  // @ts-expect-error Before clipping, after it, or both.
  gradientMonitor({ gradients: 'clipped' });
});
