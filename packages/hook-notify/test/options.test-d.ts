import type { HookOptionsByName, OptionsOf } from '@hookline/hook-api';
import { expectTypeOf, test } from 'vitest';
import { type NotifyOptions, notify } from '../src/index.js';

/** As the trainer takes them: `hooks: { notify: { on: ['end'] } }`. */
function byName(_hooks: Partial<HookOptionsByName>): void {}

test('the options of the hook by name are those of its factory', () => {
  expectTypeOf<OptionsOf<'notify'>>().toEqualTypeOf<NotifyOptions>();
  expectTypeOf(notify).parameter(0).toEqualTypeOf<NotifyOptions | undefined>();
  byName({ notify: { on: ['end', 'best'], monitor: 'val/accuracy', mode: 'max' } });
  // @ts-expect-error There is no such option.
  byName({ notify: { timeout: 5 } });
  // @ts-expect-error There is no such moment.
  byName({ notify: { on: ['ends'] } });
});
