import { EVENTS, type EventName, type Hook, type HookContext, when } from '@hookline/hook-api';
import type { EventMessage, TrainMessage, Verb } from '../messages.js';
import type { Outbox } from './outbox.js';
import { plainEvent, startOf, stateOf, tensorCopies } from './plain-event.js';

/** The hook in the worker that stands for those of the main side. */
const RELAY = 'main-side';

/** Fired at most once in a run: they are sent, however slow the main side is. */
const ONCE: readonly EventName[] = [
  'setup',
  'onInit',
  'onTrainStart',
  'onTrainEnd',
  'onException',
  'teardown',
];

export interface Relay {
  hook: Hook;
  /** Does what a hook of the main side asks for. */
  act(verb: Verb): void;
}

/** Sends the events that hooks of the main side listen to. It changes nothing by itself. */
export function createRelay({ events, tensors }: TrainMessage, outbox: Outbox): Relay {
  let ctx: HookContext | undefined;
  /** Verbs that came before the run did. */
  const early: Verb[] = [];

  const send = (event: EventName, ctx: HookContext, payload: object): void | Promise<void> => {
    const { payload: plain, withheld } = plainEvent(payload);
    const start = event === 'setup' ? startOf(ctx) : undefined;
    const message: EventMessage = { event, payload: plain, withheld, copies: {}, state: stateOf(ctx), start };
    const copying = tensorCopies(payload, tensors);
    if (!copying) return outbox.add(message);
    return copying.then((copies) => {
      const missing = withheld.filter((name) => !Object.hasOwn(copies, name));
      outbox.add({ ...message, copies, withheld: missing });
    });
  };

  const methods = events.map((event) => {
    const method = (ctx: HookContext, payload: object) => send(event, ctx, payload);
    if (ONCE.includes(event)) return [event, method];
    const level = isOfBatch(event) ? 'batch' : 'epoch';
    const hasRoom = (ctx: HookContext) => outbox.hasRoom(level, () => placeOf(event, ctx));
    return [event, when(hasRoom, method)];
  });

  const hook: Hook = {
    name: RELAY,
    ...(tensors.includes('outputs') && { needs: ['outputs'] }),
    ...Object.fromEntries(methods),
    setup(context, event) {
      ctx = context;
      for (const verb of early.splice(0)) obey(ctx, verb);
      return send('setup', context, event);
    },
  };
  return { hook, act: (verb) => (ctx ? obey(ctx, verb) : void early.push(verb)) };
}

function obey(ctx: HookContext, verb: Verb): void {
  switch (verb.verb) {
    case 'stop':
      ctx.stop(verb.reason);
      break;
    case 'requestCheckpoint':
      ctx.requestCheckpoint(verb.reason);
      break;
    case 'markFailed':
      ctx.markFailed(verb.reason ?? '');
      break;
    case 'requestValidation':
      ctx.requestValidation();
      break;
    case 'log':
      ctx.log(verb.values);
      break;
    case 'lrScale': {
      const group = ctx.state.optimizers[verb.optimizer]?.groups[verb.group];
      if (group) group.lrScale = verb.value;
    }
  }
}

/** `onLog` too, which most batches cause. */
function isOfBatch(event: EventName): boolean {
  return /Batch|Step|Backward|Gradient|onLog/.test(event) && EVENTS[event].kind === 'observe';
}

function placeOf(event: EventName, { state }: HookContext): string {
  return `${event} ${state.status} ${state.epoch} ${state.step} ${state.batchIndex}`;
}
