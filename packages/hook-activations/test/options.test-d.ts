import type { HookOptionsByName, OptionsOf } from '@hookline/hook-api';
import { expectTypeOf, test } from 'vitest';
import {
  type ActivationsHook,
  type ActivationsOptions,
  activations,
  type CapturedState,
  type TapManager,
} from '../src/index.js';

test('its options are known wherever a hook is configured by name', () => {
  expectTypeOf<OptionsOf<'activations'>>().toEqualTypeOf<ActivationsOptions>();
  const hooks: Partial<HookOptionsByName> = { activations: { every: 10, metrics: ['mean', 'dead'] } };
  // @ts-expect-error There is no such option.
  hooks.activations = { evry: 10 };
  // @ts-expect-error There is no such metric.
  hooks.activations = { metrics: ['median'] };
});

test('the factory makes a hook that carries the manager of its taps', () => {
  expectTypeOf(activations).parameter(0).toEqualTypeOf<ActivationsOptions | undefined>();
  expectTypeOf(activations()).toEqualTypeOf<ActivationsHook>();
  expectTypeOf(activations().taps).toEqualTypeOf<TapManager>();
  expectTypeOf(activations().taps.getCapturedStates('capture')).toEqualTypeOf<CapturedState[]>();
});
