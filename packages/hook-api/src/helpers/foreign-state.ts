import { HooklineError } from '../errors.js';
import { show } from '../show.js';

/** The error of a `loadState` that was given what it did not save; `expected` such as `{ best, wait }`. */
export function foreignState(hook: string, state: unknown, expected: string): HooklineError {
  return new HooklineError(
    'HOOK_STATE',
    `Hook "${hook}" was given a saved state that is not its own: ${show(state)}. ` +
      `Expected ${expected}. To start it without a state, leave the state out.`,
  );
}
