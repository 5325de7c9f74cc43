import { EVENTS, type EventName, type Hook } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import type { Check } from '../check.js';

export const events: Check = {
  name: 'events',
  promise: 'is a hook, and listens only to events that exist',
  async run(subject) {
    try {
      const made = subject.make();
      if (made.length === 0)
        return ['The factory returned an empty list. It must return a hook, or several.'];
      return made.flatMap(asyncInTape);
    } catch (error) {
      return [messageOf(error)];
    }
  },
};

const SYNC = (Object.keys(EVENTS) as EventName[]).filter((event) => EVENTS[event].sync);

function asyncInTape(hook: Hook): string[] {
  return SYNC.filter((event) => hook[event]?.constructor.name === 'AsyncFunction').map(
    (event) =>
      `Hook "${hook.name}": ${event} is async, but it runs inside the gradient tape, where nothing can be awaited. ` +
      'Keep what you need with tf.keep, and await in onTrainBatchEnd.',
  );
}
