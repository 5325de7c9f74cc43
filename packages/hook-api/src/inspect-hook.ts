import { HooklineError } from './errors.js';
import { EVENTS, type EventName } from './events.js';
import type { Hook, HookNeed } from './hook.js';
import type { HookKind } from './hook-kind.js';
import { didYouMean } from './nearest.js';
import { show } from './show.js';

const NAMES = Object.keys(EVENTS) as EventName[];
const METHODS: readonly string[] = [...NAMES, 'saveState', 'loadState'];
const NEEDS: readonly HookNeed[] = ['outputs', 'phases'];

export function eventsOf(hook: Hook): EventName[] {
  return NAMES.filter((name) => typeof hook[name] === 'function');
}

/** By its methods, unless it says itself what it does. */
export function kindsOf(hook: Hook): HookKind[] {
  return [...(hook.kinds ?? new Set(eventsOf(hook).map(kindOf)))];
}

/** By its name; every event that is not about layers or updates is of the lifecycle. */
function kindOf(event: EventName): HookKind {
  if (/Forward|Activation/.test(event)) return 'forward';
  return /Gradients|OptimizerStep/.test(event) ? 'update' : 'lifecycle';
}

/** Throws on anything that is not a hook, and on a method that looks like an event but is not one. */
export function assertHook(hook: unknown): asserts hook is Hook {
  if (!hook || typeof hook !== 'object') {
    throw new HooklineError(
      'NOT_A_HOOK',
      `Expected a hook, an object with a name, got ${show(hook)}. Call its factory.`,
    );
  }
  const fields = hook as Record<string, unknown>;
  const { name, onError = 'isolate', needs = [] } = fields;
  const methods = methodNames(hook);
  if (typeof name !== 'string' || !name) {
    throw new HooklineError(
      'NOT_A_HOOK',
      `A hook needs a name, got ${show(name)}. Its methods: ${methods.join(', ') || 'none'}.`,
    );
  }
  if (onError !== 'isolate' && onError !== 'fail') {
    throw new HooklineError(
      'NOT_A_HOOK',
      `Hook "${name}": expected onError to be "isolate" or "fail", got ${show(onError)}.`,
    );
  }
  if (!Array.isArray(needs) || needs.some((need) => !NEEDS.includes(need))) {
    throw new HooklineError(
      'NOT_A_HOOK',
      `Hook "${name}": expected needs to be some of ${show(NEEDS)}, got ${show(needs)}.`,
    );
  }
  for (const method of METHODS) {
    if (typeof fields[method] === 'function' || fields[method] === undefined) continue;
    throw new HooklineError(
      'NOT_A_HOOK',
      `Hook "${name}": expected ${method} to be a method, got ${show(fields[method])}.`,
    );
  }
  for (const method of methods) {
    if (METHODS.includes(method) || !looksLikeEvent(method)) continue;
    throw new HooklineError(
      'UNKNOWN_EVENT',
      `Hook "${name}" has a method "${method}", but there is no such event.${didYouMean(method, METHODS)} ` +
        'Only events begin with "on" or "transform".',
    );
  }
}

function looksLikeEvent(name: string): boolean {
  return (
    /^(on|transform)[A-Z_]/.test(name) || METHODS.some((each) => each.toLowerCase() === name.toLowerCase())
  );
}

/** Own and inherited methods, without running getters. */
function methodNames(hook: object): string[] {
  const names = new Set<string>();
  for (let object = hook; object && object !== Object.prototype; object = Object.getPrototypeOf(object)) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
      if (typeof property.value === 'function' && name !== 'constructor') names.add(name);
    }
  }
  return [...names];
}
