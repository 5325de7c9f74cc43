import type { OptionsOf } from '@hookline/hook-api';
import { expectTypeOf, test } from 'vitest';
import { type EarlyStoppingOptions, earlyStopping } from '../src/index.js';

test('the options of "early-stopping" are known by its name wherever the package is loaded', () => {
  expectTypeOf<OptionsOf<'early-stopping'>>().toEqualTypeOf<EarlyStoppingOptions>();
  const options: OptionsOf<'early-stopping'> = { patience: 3, restoreBest: 'checkpoint' };
  earlyStopping(options);
});

test('a mistyped option, and a value that is not one of the choices, do not compile', () => {
  // @ts-expect-error There is no such option.
  const mistyped: OptionsOf<'early-stopping'> = { patients: 3 };
  // @ts-expect-error One of two words.
  earlyStopping({ mode: 'lower' });
  expectTypeOf(mistyped).toExtend<object>();
});
