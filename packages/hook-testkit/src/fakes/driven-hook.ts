import type { EventName, Hook, HookContext, HookEvents } from '@hookline/hook-api';
import { type FakeContext, type FakeContextOptions, fakeContext } from './fake-context.js';

export interface DrivenHook extends FakeContext {
  /** Calls the hook's method, where it has one, and returns what that returns. */
  fire<Name extends EventName>(event: Name, payload: HookEvents[Name]): ReturnType<NonNullable<Hook[Name]>>;
}

/**
 * One hook without a trainer: the test says what the run looks like and fires the events. Filters such as `every` and
 * `when` are not asked.
 */
export function drivenHook(hook: Hook, options: Omit<FakeContextOptions, 'hook'> = {}): DrivenHook {
  const context = fakeContext({ ...options, hook: hook.name });
  return {
    ...context,
    fire: (event, payload) => {
      const method = hook[event] as ((ctx: HookContext, payload: unknown) => never) | undefined;
      return method?.call(hook, context.ctx, payload) as never;
    },
  };
}
