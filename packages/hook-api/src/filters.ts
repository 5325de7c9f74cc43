import type { HookContext, TrainingState } from './context.js';
import { HooklineError } from './errors.js';
import { show } from './show.js';
import type { JsonValue } from './state.js';

// biome-ignore lint/suspicious/noExplicitAny: a filter wraps the handler of any event, whatever its payload.
type AnyHandler = (ctx: HookContext, event: any) => unknown;

export type Cadence =
  | { steps: number; epochs?: never; seconds?: never }
  | { epochs: number; steps?: never; seconds?: never }
  | { seconds: number; steps?: never; epochs?: never };

/**
 * Calls the method each time another `n` steps, epochs or seconds are full. None is ever missed: what counts is
 * that a multiple was crossed since the last call, not that it was hit. Once due, the method gets every call of
 * that batch: all tapped layers, all optimizers.
 */
export function every<Handler extends AnyHandler>(cadence: Cadence, handler: Handler): Handler {
  const { unit, size, count } = measure('every', cadence);
  const multiple = (value: number) => Math.floor(value / size);
  let start = 0;
  // The count at the last call, not its multiple: a resumed run may have been given another pace. One for each
  // status: a validation between two steps would use up the turn of the training.
  let last: { [status: string]: number } = {};
  let batch: Position | undefined;
  return filter('every', handler, {
    due: ({ state }) => {
      const now = count(state);
      const before = last[state.status];
      const isFirst = before === undefined && now % size === 0;
      return isFirst || multiple(now) !== multiple(before ?? start) || isAt(batch, state);
    },
    fire: ({ state }) => {
      last[state.status] = count(state);
      const { status, epoch, step, batchIndex } = state;
      batch = { status, epoch, step, batchIndex };
    },
    reset: ({ state }) => {
      start = count(state);
      last = {};
      batch = undefined;
    },
    // With the batch: a resumed run may begin with it again.
    save: () => [unit, start, { ...last }, batch ?? null],
    load: (saved) => {
      if (!Array.isArray(saved) || saved[0] !== unit) return;
      [, start, last] = saved as [string, number, typeof last];
      batch = (saved[3] as Position | null | undefined) ?? undefined;
    },
  });
}

/** Calls the method the first time only, in each run. */
export function once<Handler extends AnyHandler>(handler: Handler): Handler {
  let fired = false;
  return filter('once', handler, {
    due: () => !fired,
    fire: () => {
      fired = true;
    },
    reset: () => {
      fired = false;
    },
    save: () => fired,
    load: (saved) => {
      fired = saved === true;
    },
  });
}

/** Calls the method once that many steps, epochs or seconds are behind, and from then on. */
export function after<Handler extends AnyHandler>(cadence: Cadence, handler: Handler): Handler {
  const { size, count } = measure('after', cadence);
  return filter('after', handler, { due: ({ state }) => count(state) >= size });
}

/** Calls the method for a share of the batches, the same ones in every run with the same seed. */
export function sample<Handler extends AnyHandler>(rate: number, handler: Handler): Handler {
  if (!(rate >= 0 && rate <= 1)) throw filterError('sample', 'a rate from 0 to 1', rate);
  const due = ({ hook, run, state }: HookContext) =>
    hash(`${run.seed} ${hook} ${state.step} ${state.batchIndex}`) < rate;
  return filter('sample', handler, { due });
}

/** Calls the method when the test passes; it sees `ctx` only, so that nothing is read from the device in vain. */
export function when<Handler extends AnyHandler>(
  test: (ctx: HookContext) => boolean,
  handler: Handler,
): Handler {
  if (typeof test !== 'function') throw filterError('when', 'a function of ctx', test);
  return filter('when', handler, { due: test });
}

/** The mark of a wrapped method. The manager asks it what is due before any payload is built. */
export interface HookFilter {
  /** Answers from `ctx` alone; asking twice gives the same answer. */
  due(ctx: HookContext): boolean;
  /** Runs the wrapped method, for a caller that has asked `due`. */
  run(hook: unknown, ctx: HookContext, event: unknown): unknown;
  /** Forgets the previous run and counts from here. */
  reset(ctx: HookContext): void;
  saveState(): JsonValue;
  loadState(state: JsonValue): void;
}

// Of the global registry: a method may be wrapped by another copy of this package.
const FILTER = Symbol.for('hookline.filter');

export function filterOf(method: unknown): HookFilter | undefined {
  return (method as { [FILTER]?: HookFilter })[FILTER];
}

interface Gate {
  due(ctx: HookContext): boolean;
  fire?(ctx: HookContext): void;
  reset?(ctx: HookContext): void;
  save?(): JsonValue;
  load?(state: JsonValue): void;
}

/** Wraps `handler`, which may be wrapped already: all filters of a method must agree. */
function filter<Handler extends AnyHandler>(name: string, handler: Handler, gate: Gate): Handler {
  if (typeof handler !== 'function')
    throw filterError(name, 'the method to call as its last argument', handler);
  const inner = filterOf(handler);
  const mark: HookFilter = {
    due: inner ? (ctx) => gate.due(ctx) && inner.due(ctx) : gate.due,
    run: (hook, ctx, event) => {
      gate.fire?.(ctx);
      return inner ? inner.run(hook, ctx, event) : handler.call(hook, ctx, event);
    },
    reset: (ctx) => {
      gate.reset?.(ctx);
      inner?.reset(ctx);
    },
    saveState: () => [gate.save?.() ?? null, inner?.saveState() ?? null],
    loadState: (state) => {
      const [own = null, rest = null] = Array.isArray(state) ? state : [];
      if (own !== null) gate.load?.(own);
      if (rest !== null) inner?.loadState(rest);
    },
  };
  const wrapped = function (this: unknown, ctx: HookContext, event: unknown) {
    return mark.due(ctx) ? mark.run(this, ctx, event) : undefined;
  };
  return Object.assign(wrapped, { [FILTER]: mark }) as unknown as Handler;
}

type Count = (state: TrainingState) => number;

function measure(name: string, cadence: Cadence): { unit: string; size: number; count: Count } {
  const [[unit, size] = ['', 0], ...others] = Object.entries(cadence ?? {});
  const count = Object.hasOwn(COUNTS, unit) ? COUNTS[unit] : undefined;
  if (!count || others.length > 0 || typeof size !== 'number' || !(size > 0)) {
    throw filterError(name, 'one of { steps }, { epochs } or { seconds } above 0', cadence);
  }
  return { unit, size, count };
}

const COUNTS: Record<string, Count> = {
  steps: (state) => state.step,
  epochs: (state) => state.completedEpochs,
  seconds: (state) => state.elapsedSeconds,
};

type Position = Pick<TrainingState, 'status' | 'epoch' | 'step' | 'batchIndex'>;

function isAt(position: Position | undefined, { status, epoch, step, batchIndex }: TrainingState): boolean {
  const isSameBatch = position?.step === step && position.batchIndex === batchIndex;
  return isSameBatch && position.epoch === epoch && position.status === status;
}

function filterError(name: string, expected: string, got: unknown): HooklineError {
  return new HooklineError('FILTER_OPTIONS', `${name}() expects ${expected}, got ${show(got)}.`);
}

/** FNV-1a with a final mix, as a number from 0 to 1. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}
