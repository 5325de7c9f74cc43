import { HooklineError, messageOf } from './errors.js';
import type { EventName } from './events.js';
import type { Hook } from './hook.js';
import type { JsonValue } from './json.js';
import type { Listener } from './listener.js';
import type { HookState, LoadedHookState } from './state.js';

/** What a checkpoint holds of one hook. */
export interface SavedHook<State = HookState> {
  state?: State | undefined;
  /** The states of the filters of its methods, by event. */
  filters?: { [event: string]: JsonValue };
}

export function saveHook(
  hook: Hook,
  listeners: ReadonlyMap<EventName, Listener>,
  onFailure?: (error: unknown) => void,
): SavedHook {
  const saved: SavedHook = {};
  naming(
    hook,
    'save',
    () => {
      saved.state = hook.saveState?.();
    },
    onFailure,
  );
  for (const [event, { filter }] of listeners) {
    if (filter) saved.filters = { ...saved.filters, [event]: filter.saveState() };
  }
  return saved;
}

export function loadHook(
  hook: Hook,
  listeners: ReadonlyMap<EventName, Listener>,
  saved: SavedHook<LoadedHookState>,
): void {
  const { state, filters } = saved;
  if (state !== undefined) naming(hook, 'load', () => hook.loadState?.(state));
  for (const [event, { filter, ctx }] of listeners) {
    // First, in case the saved state belongs to a different filter than the method has today.
    filter?.reset(ctx);
    if (filters?.[event] !== undefined) filter?.loadState(filters[event]);
  }
}

/** The error of a state method alone would not say which hook it comes from. */
function naming(hook: Hook, task: string, run: () => void, onFailure?: (error: unknown) => void): void {
  try {
    run();
  } catch (cause) {
    const error = new HooklineError(
      'HOOK_STATE',
      `Hook "${hook.name}" could not ${task} its state: ${messageOf(cause)}`,
      { cause },
    );
    if (!onFailure) throw error;
    onFailure(error);
  }
}
