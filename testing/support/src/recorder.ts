import type { EventName, Hook } from '@hookline/hook-api';
// By its file: the trainer's tests use this, and the kit depends on the trainer.
import { eventRecorder } from '../../../packages/hook-testkit/src/fakes/event-recorder.js';

export interface Recorded {
  event: EventName;
  // biome-ignore lint/suspicious/noExplicitAny: payloads of all events are kept side by side.
  payload: any;
  state: ReturnType<typeof eventRecorder>['events'][number]['state'];
}

export interface Recorder extends Hook {
  events: Recorded[];
  names(): EventName[];
  of(event: EventName): Recorded[];
}

/** The kit's recorder, for tests that look at payloads of many events without telling them apart. */
export const recorder: (name?: string, only?: readonly string[]) => Recorder = eventRecorder;
