import type { HookContext } from './context.js';
import { HooklineError } from './errors.js';
import type { EventName } from './events.js';
import type { HookFilter } from './filters.js';
import type { Hook } from './hook.js';

// biome-ignore lint/suspicious/noExplicitAny: handlers of all events pass through the same dispatch.
type AnyHandler = (this: Hook, ctx: HookContext, event: any) => unknown;

/** One method of one hook, with what was counted about it. It outlives changes of the hook list. */
export interface Slot {
  readonly hook: Hook;
  readonly handler: AnyHandler;
  readonly filter: HookFilter | undefined;
  ctx: HookContext;
  calls: number;
  /** Estimated from the timed sample. */
  milliseconds: number;
  /** In a row. */
  failures: number;
}

/** All slots of one event, in order. Replaced as a whole when hooks change: a running dispatch keeps its own. */
export interface Line {
  readonly event: EventName;
  /** Inside the gradient tape, where nothing can be awaited. */
  readonly sync: boolean;
  readonly slots: readonly Slot[];
  /** Somebody listens without a filter. */
  readonly always: boolean;
  dispatches: number;
}

/** Takes an error of a slot: returns when the run may go on, throws when it may not. */
export type OnFailure = (slot: Slot, event: EventName, error: unknown) => void;

/** Whether anybody would be called now. */
export function isDue(line: Line): boolean {
  return line.always || line.slots.some(({ filter, ctx }) => filter?.due(ctx));
}

/**
 * Calls the slots in order. Stays synchronous until a handler returns a promise and awaits only then: most
 * handlers never do, and a microtask for each would cost more than the calls.
 */
export function dispatch(line: Line, payload: unknown, onFailure: OnFailure): void | Promise<void> {
  return runFrom(line, 0, payload, timingWeight(++line.dispatches), onFailure);
}

/** Joins what a hook returned with the payload for the next one. */
export type Accept = (payload: unknown, result: unknown) => unknown;

/** Lets each slot replace the payload for the next; a promise only when one of them returns a promise. */
export function transform(line: Line, payload: unknown, accept: Accept, onFailure: OnFailure): unknown {
  return transformFrom(line, 0, payload, timingWeight(++line.dispatches), accept, onFailure);
}

function runFrom(
  line: Line,
  start: number,
  payload: unknown,
  weight: number,
  onFailure: OnFailure,
): void | Promise<void> {
  const { slots } = line;
  let index = start;
  // One try around the loop, entered again after a failure: a try for each slot would slow the common case.
  for (;;) {
    try {
      for (; index < slots.length; index++) {
        const result = callSlot(line, slots[index]!, payload, weight);
        if (isPromise(result)) return awaitThenRun(line, index, result, payload, weight, onFailure);
      }
      return;
    } catch (error) {
      onFailure(slots[index++]!, line.event, error);
    }
  }
}

async function awaitThenRun(
  line: Line,
  index: number,
  pending: Promise<unknown>,
  payload: unknown,
  weight: number,
  onFailure: OnFailure,
): Promise<void> {
  const slot = line.slots[index]!;
  try {
    await pending;
    slot.failures = 0;
  } catch (error) {
    onFailure(slot, line.event, error);
  }
  return runFrom(line, index + 1, payload, weight, onFailure);
}

function transformFrom(
  line: Line,
  start: number,
  payload: unknown,
  weight: number,
  accept: Accept,
  onFailure: OnFailure,
): unknown {
  let current = payload;
  for (let index = start; index < line.slots.length; index++) {
    const slot = line.slots[index]!;
    const take = (result: unknown) => (result === undefined ? current : accept(current, result));
    try {
      const result = callSlot(line, slot, current, weight);
      if (isPromise(result)) {
        return result
          .then(take)
          .catch((error) => onFailure(slot, line.event, error))
          .then((next) => transformFrom(line, index + 1, next, weight, accept, onFailure));
      }
      current = take(result);
    } catch (error) {
      onFailure(slot, line.event, error);
    }
  }
  return current;
}

/** Calls one slot: its result, or undefined when its filter is not due. */
function callSlot(line: Line, slot: Slot, payload: unknown, weight: number): unknown {
  const result = weight === 0 ? invoke(slot, payload) : invokeTimed(slot, payload, weight);
  if (line.sync && isPromise(result)) {
    result.catch(() => {});
    throw new HooklineError(
      'SYNC_EVENT',
      `Hook "${slot.hook.name}" returned a promise from ${line.event}, which runs inside the gradient tape and cannot wait. ` +
        'Make the method synchronous; keep a clone of what you need and await in onTrainBatchEnd.',
    );
  }
  return result;
}

function invoke(slot: Slot, payload: unknown): unknown {
  const { filter, ctx } = slot;
  if (filter !== undefined && !filter.due(ctx)) return undefined;
  slot.calls++;
  const result =
    filter === undefined ? slot.handler.call(slot.hook, ctx, payload) : filter.run(slot.hook, ctx, payload);
  if (slot.failures !== 0 && !isPromise(result)) slot.failures = 0;
  return result;
}

function invokeTimed(slot: Slot, payload: unknown, weight: number): unknown {
  const start = performance.now();
  const stop = () => {
    slot.milliseconds += (performance.now() - start) * weight;
  };
  let result: unknown;
  try {
    result = invoke(slot, payload);
  } finally {
    if (!isPromise(result)) stop();
  }
  return isPromise(result) ? result.finally(stop) : result;
}

/**
 * The first 64 dispatches of a line are timed, so that rare and heavy events are exact; after that one in 64 is,
 * and stands for 64: reading the clock costs more than a typical handler.
 */
function timingWeight(dispatches: number): number {
  return dispatches <= 64 ? 1 : (dispatches & 63) === 0 ? 64 : 0;
}

function isPromise(value: unknown): value is Promise<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as Promise<unknown>).then === 'function'
  );
}
