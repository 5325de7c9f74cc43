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
}

/** Takes an error of a slot: returns when the run may go on, throws when it may not. */
export type OnFailure = (slot: Slot, event: EventName, error: unknown) => void;

/** Joins what a hook returned with the payload for the next one. */
export type Accept = (payload: unknown, result: unknown) => unknown;

/** Whether anybody would be called now. */
export function isDue(line: Line): boolean {
  return line.always || line.slots.some(isSlotDue);
}

/**
 * Calls the slots in order, each with what `accept` made of the results before it, and returns the last payload.
 * Stays synchronous until a handler returns a promise and awaits only then: most handlers never do, and a
 * microtask for each would cost more than the calls.
 */
export function run(line: Line, payload: unknown, accept: Accept, onFailure: OnFailure, start = 0): unknown {
  const { slots } = line;
  let current = payload;
  let index = start;
  // One try around the loop, entered again after a failure: a try for each slot would slow the common case.
  for (;;) {
    try {
      for (; index < slots.length; index++) {
        const result = callSlot(line, slots[index]!, current);
        if (result === undefined) continue;
        if (isPromise(result)) return awaitThenRun(line, index, result, current, accept, onFailure);
        current = accept(current, result);
      }
      return current;
    } catch (error) {
      onFailure(slots[index++]!, line.event, error);
    }
  }
}

export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as Partial<Promise<unknown>> | null | undefined)?.then === 'function';
}

function isSlotDue({ filter, ctx }: Slot): boolean {
  try {
    return filter === undefined || filter.due(ctx);
  } catch {
    return true; // the call that follows meets the same error and knows what becomes of it
  }
}

async function awaitThenRun(
  line: Line,
  index: number,
  pending: Promise<unknown>,
  payload: unknown,
  accept: Accept,
  onFailure: OnFailure,
): Promise<unknown> {
  const slot = line.slots[index]!;
  let next = payload;
  try {
    const result = await pending;
    slot.failures = 0;
    if (result !== undefined) next = accept(payload, result);
  } catch (error) {
    onFailure(slot, line.event, error);
  }
  return run(line, next, accept, onFailure, index + 1);
}

/** Calls one slot: its result, or undefined when its filter is not due. */
function callSlot(line: Line, slot: Slot, payload: unknown): unknown {
  if (slot.filter !== undefined && !slot.filter.due(slot.ctx)) return undefined;
  const weight = timingWeight(++slot.calls);
  const result = weight === 0 ? invoke(slot, payload) : invokeTimed(slot, payload, weight);
  if (!isPromise(result)) {
    slot.failures = 0;
  } else if (line.sync) {
    Promise.resolve(result).catch(() => {}); // the error below stands for it
    throw new HooklineError(
      'SYNC_EVENT',
      `Hook "${slot.hook.name}" returned a promise from ${line.event}, which runs inside the gradient tape and cannot wait. ` +
        'Clone what you need there and await in onTrainBatchEnd.',
    );
  }
  return result;
}

function invoke({ hook, handler, filter, ctx }: Slot, payload: unknown): unknown {
  return filter === undefined ? handler.call(hook, ctx, payload) : filter.run(hook, ctx, payload);
}

function invokeTimed(slot: Slot, payload: unknown, weight: number): unknown {
  const start = performance.now();
  const stop = () => {
    slot.milliseconds += (performance.now() - start) * weight;
  };
  const result = invoke(slot, payload);
  if (isPromise(result)) return Promise.resolve(result).finally(stop);
  stop();
  return result;
}

/**
 * The first 64 calls of a slot are timed, so that rare and heavy ones are exact; after that one in 64 is, and
 * stands for 64: reading the clock costs more than a typical handler. Calls are what is counted, not dispatches:
 * the pace of a filter and the pace of the sample could beat.
 */
function timingWeight(calls: number): number {
  return calls <= 64 ? 1 : (calls & 63) === 0 ? 64 : 0;
}
