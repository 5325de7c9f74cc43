import { expectTypeOf, test } from 'vitest';
import { profiler } from '../src/index.js';

test('options are known by name and type', () => {
  expectTypeOf(profiler).parameter(0).toMatchTypeOf<{ steps?: number } | undefined>();
  // @ts-expect-error There is no such option.
  profiler({ step: 1 });
});
