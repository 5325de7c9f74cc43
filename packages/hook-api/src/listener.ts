import type { HookContext } from './context.js';
import { isFatal, messageOf } from './errors.js';
import { EVENTS, type EventName } from './events.js';
import { filterOf, type HookFilter } from './filters/gated.js';
import type { Hook } from './hook.js';
import { eventsOf } from './inspect-hook.js';

// biome-ignore lint/suspicious/noExplicitAny: handlers of all events pass through the same dispatch.
export type AnyHandler = (this: Hook, ctx: HookContext, event: any) => unknown;

/** One method of one hook, with what was counted about it. It outlives changes of the hook list. */
export interface Listener {
  readonly event: EventName;
  readonly hook: Hook;
  readonly handler: AnyHandler;
  readonly filter: HookFilter | undefined;
  ctx: HookContext;
  calls: number;
  /** What `calls` was at the last call that was timed. */
  timedAt: number;
  /** Estimated from the timed sample. */
  milliseconds: number;
  /** In a row. */
  failures: number;
}

export function listenersOf(hook: Hook): ReadonlyMap<EventName, Listener> {
  return new Map(eventsOf(hook).map((event) => [event, listenerOf(hook, event)]));
}

function listenerOf(hook: Hook, event: EventName): Listener {
  const handler = hook[event] as Listener['handler'];
  return {
    event,
    hook,
    handler,
    filter: filterOf(handler),
    ctx: undefined as never, // bound when a run begins
    calls: 0,
    timedAt: 0,
    milliseconds: 0,
    failures: 0,
  };
}

/** Whether an error of this method ends the run. */
export function endsRun({ hook, event }: Listener, error: unknown): boolean {
  // The run has already failed: every hook hears of that error, and another one must not replace it.
  if (event === 'onException') return false;
  return isFatal(error) || hook.onError === 'fail' || EVENTS[event].kind === 'transform';
}

export function report({ event, hook, ctx }: Listener, error: unknown): void {
  const { step, epoch } = ctx.state;
  ctx.logger.error(
    { err: error, event, step, epoch },
    `Hook "${hook.name}" failed in ${event} at step ${step}: ${messageOf(error)}`,
  );
}
