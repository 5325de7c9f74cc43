import type { HookOptionsByName, OptionsOf } from '@hookline/hook-api';
import { expectTypeOf, test } from 'vitest';
import { type ProgressOptions, progress } from '../src/index.js';

/** As the trainer takes them: `hooks: { progress: { refreshMs: 250 } }`. */
function byName(_hooks: Partial<HookOptionsByName>): void {}

test('the options of the hook by name are those of its factory', () => {
  expectTypeOf<OptionsOf<'progress'>>().toEqualTypeOf<ProgressOptions>();
  expectTypeOf(progress).parameter(0).toEqualTypeOf<ProgressOptions | undefined>();
  byName({ progress: { refreshMs: 250, stream: process.stdout } });
  // @ts-expect-error There is no such option.
  byName({ progress: { refresh: 250 } });
  // @ts-expect-error A stream has a write method.
  byName({ progress: { stream: {} } });
});
