import type { Hook, HookOptionsByName, OptionsOf } from '@hookline/hook-api';
import { expectTypeOf, test } from 'vitest';
import { type DebugOptions, debug } from '../src/index.js';

test('its options are known wherever a hook is configured by name', () => {
  expectTypeOf<OptionsOf<'debug'>>().toEqualTypeOf<DebugOptions>();
  const hooks: Partial<HookOptionsByName> = { debug: { nan: 'warn', shapes: 'every' } };
  // @ts-expect-error There is no such option.
  hooks.debug = { nans: 'warn' };
  // @ts-expect-error One of three words.
  hooks.debug = { nan: 'ignore' };
});

test('the factory takes them and makes one hook', () => {
  expectTypeOf(debug).parameter(0).toEqualTypeOf<DebugOptions | undefined>();
  expectTypeOf(debug()).toEqualTypeOf<Hook>();
});
