import { HooklineError } from './errors.js';
import { EVENTS, type EventName } from './events.js';
import type { Hook } from './hook.js';
import { didYouMean } from './nearest.js';

const NAMES = Object.keys(EVENTS) as EventName[];

/** What a hook does: watches the run, sees activations, takes part in the update. */
export type HookKind = 'lifecycle' | 'forward' | 'update';

const FORWARD: readonly EventName[] = ['onForward', 'transformActivation'];
const UPDATE: readonly EventName[] = ['transformGradients', 'onBeforeOptimizerStep', 'onAfterOptimizerStep'];

export function eventsOf(hook: Hook): EventName[] {
  return NAMES.filter((name) => typeof hook[name] === 'function');
}

export function kindsOf(hook: Hook): HookKind[] {
  const kindOf = (event: EventName): HookKind =>
    FORWARD.includes(event) ? 'forward' : UPDATE.includes(event) ? 'update' : 'lifecycle';
  return [...new Set(eventsOf(hook).map(kindOf))];
}

/** Throws on anything that is not a hook, and on a method that looks like an event but is none. */
export function assertHook(hook: unknown): asserts hook is Hook {
  if (typeof hook !== 'object' || hook === null) {
    throw new HooklineError('NOT_A_HOOK', `Expected a hook, an object with a name, got ${describe(hook)}.`);
  }
  const { name } = hook as { name?: unknown };
  if (typeof name !== 'string' || name === '') {
    throw new HooklineError(
      'NOT_A_HOOK',
      `A hook needs a name, a string that is its own in the run; got ${describe(name)}. ` +
        `Its methods are: ${methodNames(hook).join(', ') || 'none'}.`,
    );
  }
  for (const method of methodNames(hook)) {
    if (method in EVENTS || !looksLikeEvent(method)) continue;
    throw new HooklineError(
      'UNKNOWN_EVENT',
      `Hook "${name}" has a method "${method}", but there is no such event.${didYouMean(method, NAMES)} ` +
        'Names that begin with "on" or "transform" are kept for events: rename a helper of your own.',
    );
  }
}

function describe(value: unknown): string {
  if (typeof value === 'function') return `the function "${value.name}" (call it, or create an instance)`;
  return value === null ? 'null' : typeof value === 'string' ? JSON.stringify(value) : typeof value;
}

function looksLikeEvent(name: string): boolean {
  return (
    /^(on|transform)[A-Z]/.test(name) || NAMES.some((event) => event.toLowerCase() === name.toLowerCase())
  );
}

/** Own and inherited methods, without running getters. */
function methodNames(hook: object): string[] {
  const names = new Set<string>();
  for (
    let object = hook;
    object !== null && object !== Object.prototype;
    object = Object.getPrototypeOf(object)
  ) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
      if (typeof property.value === 'function' && name !== 'constructor') names.add(name);
    }
  }
  return [...names];
}
