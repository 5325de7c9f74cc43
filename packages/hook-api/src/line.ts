import type { HookContext } from './context.js';
import { HooklineError } from './errors.js';
import { EVENTS, type EventName } from './events.js';
import type { Hook } from './hook.js';
import type { AnyHandler, Listener } from './listener.js';

/** All listeners of one event, in order. Replaced as a whole when hooks change: a running dispatch keeps the one it has. */
export interface Line {
  readonly event: EventName;
  /** Inside the gradient tape, where nothing can be awaited. */
  readonly sync: boolean;
  readonly listeners: readonly Listener[];
  /** A hook is to be set up before the next dispatch. */
  readonly owed: boolean;
  /** Whom to call, asked once more right before each call: the one who asks for some hooks knows which of them runs. */
  readonly only?: Only | undefined;
  /** Somebody listens without a filter, or may do so once it is set up. */
  readonly always: boolean;
  /** The calls of a routine dispatch. */
  readonly first: Link | undefined;
  /**
   * How many of the next dispatches need no attention: no filter, no recent failure, nothing to time. Their calls
   * are counted together, by `countRoutine`, so that a dispatch costs little more than the calls themselves.
   */
  routine: number;
  /** How many were granted. */
  granted: number;
}

/** One call, and the next. V8 follows links without checking types and bounds, which costs it a third in an array. */
interface Link {
  readonly handler: AnyHandler;
  readonly hook: Hook;
  readonly ctx: HookContext;
  readonly index: number;
  readonly next: Link | undefined;
}

export type Only = (hook: Hook) => boolean;

/** Takes an error of a listener: returns when the run may continue, throws when it may not. */
export type OnFailure = (listener: Listener, error: unknown) => void;

/** Joins what a hook returned with the payload for the next one. */
export type Accept = (payload: unknown, result: unknown, hook: Hook) => unknown;

/**
 * The first calls of a listener are all timed, so that what is rare and heavy is exact; after that one in many is, and
 * counts for those before it: reading the clock costs more than a typical handler. Calls are counted, not dispatches:
 * a filter could skip exactly those dispatches that would be timed, or all others. Where a filter is asked anyway, more
 * calls are timed: a pause that falls into one, for garbage or for other programs, counts as often as that call does.
 */
const EXACT_CALLS = 64;
const SAMPLE = 256;
const FILTERED_SAMPLE = 16;

/** Whether anybody would be called now. */
export function isDue(line: Line): boolean {
  return line.always || line.listeners.some(isListenerDue);
}

/**
 * Calls the listeners in order, each with what `accept` made of the results before it, and returns the last payload.
 * Stays synchronous until a handler returns a promise and awaits only then: most handlers never do, and a
 * microtask for each would cost more than the calls.
 */
export function run(line: Line, payload: unknown, accept: Accept, onFailure: OnFailure): unknown {
  countRoutine(line);
  const outcome = runFrom(line, 0, false, payload, accept, onFailure);
  if (line.listeners.every(isQuiet)) line.routine = line.granted = SAMPLE - 1;
  return outcome;
}

/** `run` for a line that is in its routine, and for an event whose handlers return nothing. */
export function runRoutine(line: Line, payload: unknown, accept: Accept, onFailure: OnFailure): unknown {
  line.routine--;
  let link = line.first;
  try {
    for (; link !== undefined; link = link.next) {
      // `handler.call` would be looked up on each function, and functions from a compiler that keeps
      // names (tsx, esbuild) all have different shapes for V8: the lookup took longer than the call.
      const result: unknown = Reflect.apply(link.handler, link.hook, [link.ctx, payload]);
      if (!isPromise(result)) continue;
      if (line.sync) throw notSync(line.listeners[link.index]!, result);
      return runAfter(result, line, link.index, true, payload, accept, onFailure);
    }
    return payload;
  } catch (error) {
    const { index } = link!;
    countRoutine(line);
    onFailure(line.listeners[index]!, error);
    return runFrom(line, index + 1, true, payload, accept, onFailure);
  }
}

export function lineOf(event: EventName, listeners: readonly Listener[], owed: boolean, only?: Only): Line {
  return {
    event,
    sync: EVENTS[event].sync,
    listeners,
    owed,
    only,
    first: listeners.reduceRight<Link | undefined>(
      (next, { handler, hook, ctx }, index) => ({ handler, hook, ctx, index, next }),
      undefined,
    ),
    always: owed || listeners.some(({ filter }) => !filter),
    routine: 0,
    granted: 0,
  };
}

/** Adds the calls of the routine dispatches so far; the next dispatch is not a routine one. */
export function countRoutine(line: Line): void {
  const calls = line.granted - line.routine;
  line.granted = line.routine = 0;
  if (calls > 0) for (const listener of line.listeners) listener.calls += calls;
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as Partial<Promise<unknown>> | null | undefined)?.then === 'function';
}

function runFrom(
  line: Line,
  start: number,
  routine: boolean,
  payload: unknown,
  accept: Accept,
  onFailure: OnFailure,
): unknown {
  const { listeners } = line;
  let current = payload;
  let index = start;
  // One try around the loop, entered again after a failure: a try for each listener would slow the common case.
  for (;;) {
    try {
      for (; index < listeners.length; index++) {
        const listener = listeners[index]!;
        line.only?.(listener.hook);
        const result = routine ? invoke(listener, current) : callListener(listener, current);
        if (result === undefined) continue;
        if (!isPromise(result)) current = accept(current, result, listener.hook);
        else if (!line.sync) return runAfter(result, line, index, routine, current, accept, onFailure);
        else throw notSync(listener, result);
      }
      return current;
    } catch (error) {
      countRoutine(line);
      onFailure(listeners[index++]!, error);
    }
  }
}

async function runAfter(
  pending: Promise<unknown>,
  line: Line,
  index: number,
  routine: boolean,
  payload: unknown,
  accept: Accept,
  onFailure: OnFailure,
): Promise<unknown> {
  const listener = line.listeners[index]!;
  let next = payload;
  try {
    const result = await watched(listener, pending);
    listener.failures = 0;
    if (result !== undefined) next = accept(payload, result, listener.hook);
  } catch (error) {
    countRoutine(line);
    onFailure(listener, error);
  }
  return runFrom(line, index + 1, routine, next, accept, onFailure);
}

/** What to wait for when a method has returned this. */
export function watched({ ctx, event }: Listener, returned: unknown): unknown {
  return ctx.watch?.(event, returned) ?? returned;
}

function isListenerDue({ filter, ctx }: Listener): boolean {
  try {
    return !!filter?.due(ctx);
  } catch {
    return true; // the call that follows meets the same error and handles it
  }
}

function isQuiet({ filter, calls, failures, ctx }: Listener): boolean {
  return !filter && calls >= EXACT_CALLS && !failures && !ctx.enter;
}

/** Calls one listener with everything that a call may need: its result, or undefined when its filter is not due. */
export function callListener(listener: Listener, payload: unknown): unknown {
  if (listener.filter && !listener.filter.due(listener.ctx)) return undefined;
  const calls = ++listener.calls;
  const isTimed = listener.ctx.enter || calls <= EXACT_CALLS || calls - listener.timedAt >= FILTERED_SAMPLE;
  const result = isTimed ? invokeTimed(listener, payload) : invoke(listener, payload);
  if (!isPromise(result)) listener.failures = 0;
  return result;
}

function invoke({ hook, handler, filter, ctx }: Listener, payload: unknown): unknown {
  return filter ? filter.run(hook, ctx, payload) : handler.call(hook, ctx, payload);
}

function invokeTimed(listener: Listener, payload: unknown): unknown {
  const weight = listener.calls - listener.timedAt;
  listener.timedAt = listener.calls;
  const start = performance.now();
  const leave = listener.ctx.enter?.(listener.event);
  const stop = () => {
    listener.milliseconds += (performance.now() - start) * weight;
    leave?.();
  };
  let result: unknown;
  try {
    result = invoke(listener, payload);
  } finally {
    if (isPromise(result)) result = Promise.resolve(result).finally(stop);
    else stop();
  }
  return result;
}

function notSync({ event, hook }: Listener, pending: Promise<unknown>): HooklineError {
  Promise.resolve(pending).catch(() => {}); // the error below takes its place
  return new HooklineError(
    'SYNC_EVENT',
    `Hook "${hook.name}" returned a promise from ${event}, which runs on the gradient tape. ` +
      'Clone what you need and await it in onTrainBatchEnd.',
  );
}
