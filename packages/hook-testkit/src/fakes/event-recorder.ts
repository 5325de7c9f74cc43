import { EVENTS, type EventName, type Hook, type HookContext, type HookEvents } from '@hookline/hook-api';

export interface Recorded<Name extends EventName = EventName> {
  event: Name;
  /** As it was given to the hook; its tensors may be disposed by now. */
  payload: HookEvents[Name];
  state: Pick<HookContext['state'], 'stage' | 'status' | 'epoch' | 'completedEpochs' | 'step' | 'batchIndex'>;
}

export interface EventRecorder extends Hook {
  events: Recorded[];
  names(): EventName[];
  of<Name extends EventName>(event: Name): Recorded<Name>[];
}

/** A hook that records all events, or some, with their payloads and the state of the run. */
export function eventRecorder(
  name = 'recorder',
  only: readonly string[] = Object.keys(EVENTS),
): EventRecorder {
  const events: Recorded[] = [];
  const listen = (event: EventName) => (ctx: HookContext, payload: object) => {
    const { stage, status, epoch, completedEpochs, step, batchIndex } = ctx.state;
    const state = { stage, status, epoch, completedEpochs, step, batchIndex };
    events.push({ event, payload: { ...payload } as HookEvents[EventName], state });
  };
  return {
    name,
    events,
    names: () => events.map(({ event }) => event),
    of: <Name extends EventName>(wanted: Name) =>
      events.filter(({ event }) => event === wanted) as Recorded<Name>[],
    ...Object.fromEntries(only.map((event) => [event, listen(event as EventName)])),
  };
}
