import { assertHook, EVENTS, type EventName, type Hook } from '@hookline/hook-api';
import { workerError } from '../errors.js';

/** The events that hooks of the main side listen to. Throws for a hook that can only work where the training is. */
export function eventsOf(hooks: readonly Hook[]): EventName[] {
  for (const hook of hooks) {
    assertHook(hook);
    const reason = whyNotHere(hook);
    if (reason === undefined) continue;
    throw workerError(
      'WORKER_HOOK',
      `Hook "${hook.name}" cannot run on this side of the worker: ${reason}. Pass it to the Trainer in the training module.`,
    );
  }
  const names = Object.keys(EVENTS) as EventName[];
  // The hooks here are set up and torn down with the run, whether or not they have methods for that.
  return names.filter((name) => EVENTS[name].kind === 'lifecycle' || hooks.some((hook) => hook[name]));
}

function whyNotHere(hook: Hook): string | undefined {
  const { name: transform } = find(hook, ({ kind }) => kind === 'transform');
  if (transform) return `${transform} changes training, which does not wait for this side`;
  const { name: inTape } = find(hook, ({ sync }) => sync);
  if (inTape) return `${inTape} is called inside the gradient tape, with tensors`;
  if (hook.saveState) return 'saveState is asked for when a checkpoint is written, in the worker';
  if (hook.needs?.includes('phases')) return 'it needs the phases of the run';
  return undefined;
}

function find(
  hook: Hook,
  test: (event: { kind: string; sync: boolean }) => boolean,
): { name: EventName | undefined } {
  const names = Object.keys(EVENTS) as EventName[];
  return { name: names.find((name) => hook[name] !== undefined && test(EVENTS[name])) };
}
