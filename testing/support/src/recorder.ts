import { EVENTS, type EventName, type Hook, type HookContext } from '@hookline/hook-api';

export interface Recorded {
  event: EventName;
  // biome-ignore lint/suspicious/noExplicitAny: payloads of all events are kept side by side.
  payload: any;
  state: Pick<HookContext['state'], 'stage' | 'status' | 'epoch' | 'completedEpochs' | 'step' | 'batchIndex'>;
}

export interface Recorder extends Hook {
  events: Recorded[];
  names(): EventName[];
  of(event: EventName): Recorded[];
}

/** A hook that records all events, or some, with their payloads and the state of the run. */
export function recorder(name = 'recorder', only: readonly string[] = Object.keys(EVENTS)): Recorder {
  const events: Recorded[] = [];
  const listen = (event: EventName) => (ctx: HookContext, payload: object) => {
    const { stage, status, epoch, completedEpochs, step, batchIndex } = ctx.state;
    const state = { stage, status, epoch, completedEpochs, step, batchIndex };
    events.push({ event, payload: { ...payload }, state });
  };
  return {
    name,
    events,
    names: () => events.map(({ event }) => event),
    of: (wanted) => events.filter(({ event }) => event === wanted),
    ...Object.fromEntries(only.map((event) => [event, listen(event as EventName)])),
  };
}
