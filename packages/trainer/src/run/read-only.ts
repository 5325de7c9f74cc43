import type { Batch, TensorTree, TrainingState } from '@hookline/hook-api';
import { isTensor } from '@hookline/numerics';
import { readOnlyError } from '../errors.js';

/**
 * Freezes a payload with the lists and records in it: what a hook writes there would otherwise change training. What it
 * holds must be the trainer's own, and not be written to afterwards.
 */
export function frozen<Event extends object>(event: Event): Event {
  for (const name in event) {
    const part: unknown = event[name];
    // What hooks change in a snapshot is what is saved.
    if (isContainer(part) && name !== 'snapshot') Object.freeze(part);
  }
  return Object.freeze(event);
}

/** A batch may be the user's own object, so hooks see a copy of it. The tensors are the same. */
export function frozenBatch(batch: Batch): Batch {
  const { xs, ys, weights } = batch;
  return Object.freeze({
    ...batch,
    xs: frozenTree(xs),
    ...(ys !== undefined && { ys: frozenTree(ys) }),
    ...(weights !== undefined && { weights: frozenTree(weights) }),
  });
}

/** What a hook sees of an object that the run goes on writing to. */
export function readOnlyView<Target extends object>(target: Target, name: string, hook: string): Target {
  const refuse = (_target: Target, key: PropertyKey) => {
    throw readOnlyError(hook, `${name}[${JSON.stringify(String(key))}]`);
  };
  const refuseAll = () => {
    throw readOnlyError(hook, name);
  };
  return new Proxy(target, {
    set: refuse,
    defineProperty: refuse,
    deleteProperty: refuse,
    setPrototypeOf: refuseAll,
    preventExtensions: refuseAll,
  });
}

/**
 * Makes what a hook sees as `ctx.state`. Accessors, which V8 inlines, because filters read it at every step: a proxy
 * takes many times as long.
 */
export function stateViews(state: TrainingState): (hook: string) => TrainingState {
  const accessors = Object.fromEntries(
    Object.entries(readersOf(state)).map(([name, get]) => [
      name,
      {
        enumerable: true,
        get,
        set(this: { [HOOK]: string }) {
          throw readOnlyError(this[HOOK], `ctx.state.${name}`);
        },
      },
    ]),
  );
  const printed = { value: () => ({ ...state }) };
  // All views share their accessors, so that they have one shape.
  return (hook) =>
    Object.freeze(
      Object.defineProperties({} as TrainingState, {
        [HOOK]: { value: hook },
        [PRINTED]: printed,
        ...accessors,
      }),
    );
}

const HOOK = Symbol('hook');
/** What `console.log` shows; it would show accessors. */
const PRINTED = Symbol.for('nodejs.util.inspect.custom');

/** Written out: each of these functions reads one property of one shape. */
function readersOf(state: TrainingState): { [Name in keyof TrainingState]: () => TrainingState[Name] } {
  return {
    model: () => state.model,
    parameters: () => state.parameters,
    optimizers: () => state.optimizers,
    stage: () => state.stage,
    status: () => state.status,
    backend: () => state.backend,
    device: () => state.device,
    epoch: () => state.epoch,
    completedEpochs: () => state.completedEpochs,
    step: () => state.step,
    batchIndex: () => state.batchIndex,
    latestLoss: () => state.latestLoss,
    avgLoss: () => state.avgLoss,
    modelParams: () => state.modelParams,
    elapsedSeconds: () => state.elapsedSeconds,
  };
}

function frozenTree(tree: TensorTree): TensorTree {
  if (isTensor(tree)) return tree;
  return Object.freeze(Array.isArray(tree) ? [...tree] : { ...tree }) as TensorTree;
}

/** A list or a record, and not a tensor, a variable or an error. */
function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
