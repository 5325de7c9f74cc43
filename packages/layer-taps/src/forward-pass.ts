import { engine } from '@tensorflow/tfjs-core';

/**
 * One run of a model. tfjs opens a scope (tidy) for each: `apply` and `call` for every call, `predict` and `evaluate`
 * for every batch, the gradient functions for the forward function. The layers directly inside the model that runs
 * are called in that very scope, so the scope names the pass. Layers deeper inside are called in scopes of their own;
 * for them the outermost watched layer around them decides, which is why a tap watches all layers around its layer.
 * The outermost `forward` of a tapped module is a pass, with all layers that it calls.
 *
 * `LayersModel.execute` is the one entry point that opens no scope: two such runs in one tidy count as one pass, and
 * outside of any tidy every call of a layer at the top is a pass of its own.
 */
export interface ForwardPass {
  readonly number: number;
  /** Weak, so that the last pass does not keep its model alive. */
  readonly uses: WeakMap<object, number>;
}

/** Where the process is among its passes. Shared by all copies of this package through the symbol registry. */
export interface PassTracker {
  /** How many watched calls are running inside each other. */
  depth: number;
  current: ForwardPass;
  /** How many passes there were. */
  passes: number;
  readonly byScope: WeakMap<object, ForwardPass>;
}

const TRACKER = Symbol.for('hookline.layer-taps.passes.1');

export function passTracker(): PassTracker {
  const registry = globalThis as { [TRACKER]?: PassTracker };
  registry[TRACKER] ??= {
    depth: 0,
    current: { number: 0, uses: new WeakMap() },
    passes: 0,
    byScope: new WeakMap(),
  };
  return registry[TRACKER];
}

/** Call at the beginning of every watched call of a layer, and `tracker.depth--` at its end, also when it throws. */
export function enterPass(tracker: PassTracker): ForwardPass {
  if (tracker.depth++ === 0) tracker.current = passOfScope(tracker);
  return tracker.current;
}

/** The same for the `forward` of a module, which is known to be a run of its own. */
export function enterModulePass(tracker: PassTracker): ForwardPass {
  if (tracker.depth++ === 0) tracker.current = newPass(tracker);
  return tracker.current;
}

/** 0 for the first use in the pass, 1 for the second. */
export function countUse(pass: ForwardPass, user: object): number {
  const uses = pass.uses.get(user) ?? 0;
  pass.uses.set(user, uses + 1);
  return uses;
}

/** Runs code of the user, who may run any model in it: those are passes of their own. */
export function outsidePass<Result>(tracker: PassTracker, run: () => Result): Result {
  const { depth, current } = tracker;
  tracker.depth = 0;
  try {
    return run();
  } finally {
    tracker.depth = depth;
    tracker.current = current;
  }
}

function passOfScope(tracker: PassTracker): ForwardPass {
  const scope: object | null = engine().state.activeScope;
  const known = scope && tracker.byScope.get(scope);
  if (known) return known;
  const pass = newPass(tracker);
  if (scope) tracker.byScope.set(scope, pass);
  return pass;
}

function newPass(tracker: PassTracker): ForwardPass {
  return { number: ++tracker.passes, uses: new WeakMap() };
}
