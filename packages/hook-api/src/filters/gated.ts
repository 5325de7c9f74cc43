import type { HookContext } from '../context.js';
import { HooklineError } from '../errors.js';
import type { JsonValue } from '../json.js';
import { show } from '../show.js';

// biome-ignore lint/suspicious/noExplicitAny: a filter wraps the handler of any event, whatever its payload.
export type AnyHandler = (ctx: HookContext, event: any) => unknown;

/** What marks a wrapped method. The manager asks it whether the method is due before any payload is built. */
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

// A symbol of the global registry: a method may be wrapped by another copy of this package.
const FILTER = Symbol.for('hookline.filter');

export function filterOf(method: unknown): HookFilter | undefined {
  return (method as { [FILTER]?: HookFilter })[FILTER];
}

/** What a kind of filter decides and remembers. */
interface Gate {
  due(ctx: HookContext): boolean;
  fire?(ctx: HookContext): void;
  reset?(ctx: HookContext): void;
  save?(): JsonValue;
  load?(state: JsonValue): void;
}

/** Wraps `handler`, which may be wrapped already: all filters of a method must agree. */
export function gated<Handler extends AnyHandler>(name: string, handler: Handler, gate: Gate): Handler {
  if (typeof handler !== 'function') throw filterError(name, 'a method as its last argument', handler);
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

export function filterError(name: string, expected: string, got: unknown): HooklineError {
  return new HooklineError('FILTER_OPTIONS', `${name}() expects ${expected}, got ${show(got)}.`);
}
