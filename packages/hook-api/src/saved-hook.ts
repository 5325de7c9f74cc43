import type { EventName } from './events.js';
import type { Hook } from './hook.js';
import type { Slot } from './line.js';
import type { HookState, JsonValue } from './state.js';

/** What a checkpoint holds of one hook. */
export interface SavedHook {
  state?: HookState;
  /** Where the filters of its methods stand, by event. */
  filters?: { [event: string]: JsonValue };
}

export function saveHook(hook: Hook, slots: ReadonlyMap<EventName, Slot>): SavedHook {
  const saved: SavedHook = {};
  if (hook.saveState) saved.state = hook.saveState();
  for (const [event, { filter }] of slots) {
    if (filter) saved.filters = { ...saved.filters, [event]: filter.saveState() };
  }
  return saved;
}

export function loadHook(hook: Hook, slots: ReadonlyMap<EventName, Slot>, saved: SavedHook): void {
  if (saved.state !== undefined) hook.loadState?.(saved.state);
  for (const [event, { filter, ctx }] of slots) {
    const state = saved.filters?.[event];
    if (state !== undefined) filter?.loadState(state);
    else filter?.reset(ctx);
  }
}
