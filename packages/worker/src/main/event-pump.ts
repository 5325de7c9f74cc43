import type { Hook, HookManager } from '@hookline/hook-api';
import { host } from '#host';
import { withheld as withheldError } from '../errors.js';
import type { EventMessage } from '../messages.js';
import { fromPlain, type PlainError } from '../plain-error.js';
import type { Mirror } from './mirror.js';
import { treeOf } from './tensor-copy.js';

/** How long hooks may keep this side from drawing: half of a frame. */
const MAX_HOLD_MS = 8;

/** Calls the hooks of this side for the events that arrive, one after the other, and gives way to the page in between. */
export class EventPump {
  readonly #manager: HookManager;
  readonly #mirror: Mirror;
  readonly #answer: (events: number) => void;
  #queue: EventMessage[][] = [];
  #running: Promise<void> | undefined;
  #isSetUp = false;
  #sawException = false;

  constructor(manager: HookManager, mirror: Mirror, answer: (events: number) => void) {
    this.#manager = manager;
    this.#mirror = mirror;
    this.#answer = answer;
  }

  /** Rejects with an error of a hook that ends the run. */
  take(events: EventMessage[]): Promise<void> {
    this.#queue.push(events);
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Resolves once every event that arrived was dealt with. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Ends the run here, where no teardown has come from the worker: hooks must not wait for it for ever. */
  async abandon(error: unknown): Promise<void> {
    this.#queue = [];
    await this.#running?.catch(() => {});
    if (!this.#isSetUp) return;
    if (!this.#sawException) await this.#manager.call('onException', { error });
    await this.#tearDown();
  }

  async #run(): Promise<void> {
    let start = performance.now();
    for (let events = this.#queue.shift(); events; events = this.#queue.shift()) {
      for (const event of events) {
        if (performance.now() - start > MAX_HOLD_MS) {
          await host.giveWay();
          start = performance.now();
        }
        await this.#dispatch(event);
      }
      this.#answer(events.length);
    }
  }

  #dispatch(message: EventMessage): void | Promise<void> {
    const { event, state, start } = message;
    this.#mirror.update(state, start);
    if (event === 'setup') {
      this.#isSetUp = true;
      return this.#manager.setup(start!.stage, (hook: Hook) => this.#mirror.contextFor(hook));
    }
    if (event === 'teardown') return this.#tearDown();
    if (event === 'onException') this.#sawException = true;
    // Filters are asked here: what the hooks need for that is on this side.
    if (this.#manager.due(event)) return this.#manager.call(event as 'onLog', payloadOf(message) as never);
  }

  async #tearDown(): Promise<void> {
    if (!this.#isSetUp) return;
    this.#isSetUp = false;
    this.#mirror.stopping();
    await this.#manager.teardown();
  }
}

/** The event as hooks get it. What has stayed in the worker is an error when it is read, and says how to get it. */
function payloadOf({ event, payload, withheld, copies }: EventMessage): object {
  const full: Record<string, unknown> = { ...payload };
  if (event === 'onException') full.error = fromPlain(payload.error as PlainError);
  for (const [name, tensors] of Object.entries(copies)) full[name] = treeOf(tensors);
  for (const name of withheld) {
    Object.defineProperty(full, name, {
      get: () => {
        throw withheldError(event, name);
      },
    });
  }
  return Object.freeze(full);
}
