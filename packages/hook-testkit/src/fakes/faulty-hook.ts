import { EVENTS, type EventName, type Hook, type HookContext } from '@hookline/hook-api';

export interface Faults {
  /** Where it throws; every `on*` event when absent. */
  in?: EventName | readonly EventName[];
  /** The first step at which it does; 0 when absent. */
  fromStep?: number;
  /** `fail`: its errors end the run. */
  onError?: 'isolate' | 'fail';
  error?: Error;
}

const OBSERVING = (Object.keys(EVENTS) as EventName[]).filter((event) => EVENTS[event].kind === 'observe');

/** A hook that throws: put it beside yours to see what your hook does when another one fails. */
export function faultyHook(name = 'faulty', faults: Faults = {}): Hook {
  const { in: where = OBSERVING, fromStep = 0, onError = 'isolate', error } = faults;
  const events = typeof where === 'string' ? [where] : where;
  const fail =
    (event: EventName) =>
    ({ state }: HookContext): void => {
      if (state.step >= fromStep) throw error ?? new Error(`"${name}" fails in ${event}, as it should`);
    };
  return { name, onError, ...Object.fromEntries(events.map((event) => [event, fail(event)])) };
}
