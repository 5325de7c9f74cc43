import { clone, engine, type Tensor } from '@tensorflow/tfjs-core';
import { LayerTapsError } from './errors.js';

export type Replaced = 'input' | 'output' | 'gradient';

/** What a handler returned in place of the tensors it was shown; throws when it does not fit. */
export function replacements(
  what: Replaced,
  path: string,
  shown: readonly Tensor[],
  returned: unknown,
): readonly Tensor[] {
  const given: readonly unknown[] = Array.isArray(returned) ? returned : [returned];
  const bad = problem(what, shown, given);
  if (bad !== undefined) {
    throw new LayerTapsError(
      'BAD_REPLACEMENT',
      `The tap on "${path}" ${bad} Expected ${expectation(shown)}, or nothing to leave the ${what} as it is.`,
    );
  }
  return (given as readonly Tensor[]).map(ownOfPass);
}

export function isTensor(value: unknown): value is Tensor {
  return typeof value === 'object' && value !== null && 'dataId' in value && 'dtype' in value;
}

/**
 * `predict` disposes the outputs of layers as soon as they are used up. A tensor that was not made in the running
 * scope is somebody's: the pass gets a clone, which shares the data.
 */
function ownOfPass(tensor: Tensor): Tensor {
  const scope: { id: number } | null | undefined = engine().state.activeScope;
  return tensor.kept || (scope && tensor.scopeId !== scope.id) ? clone(tensor) : tensor;
}

function problem(what: Replaced, shown: readonly Tensor[], given: readonly unknown[]): string | undefined {
  for (const replacement of given) {
    if (isThenable(replacement)) return `returned a promise, but a ${passOf(what)} pass cannot wait for it.`;
    if (!isTensor(replacement)) return `returned ${kindOf(replacement)}, which is not a tensor.`;
    if (replacement.isDisposed) return 'returned a disposed tensor.';
  }
  if (given.length !== shown.length) {
    return `returned ${count(given.length)}, but the layer has ${shown.length} ${what}s.`;
  }
  const misfit = shown.findIndex((tensor, i) => !sameKind(tensor, given[i] as Tensor));
  if (misfit === -1) return undefined;
  return `replaced ${what} ${misfit}, ${describe(shown[misfit]!)}, by ${describe(given[misfit] as Tensor)}.`;
}

function passOf(what: Replaced): string {
  return what === 'gradient' ? 'backward' : 'forward';
}

function isThenable(value: unknown): boolean {
  return typeof (value as { then?: unknown } | null)?.then === 'function';
}

function sameKind(a: Tensor, b: Tensor): boolean {
  return (
    a.dtype === b.dtype &&
    a.shape.length === b.shape.length &&
    a.shape.every((size, i) => size === b.shape[i])
  );
}

function expectation(shown: readonly Tensor[]): string {
  const described = shown.map(describe).join(', ');
  return shown.length === 1 ? `a tensor ${described}` : `a list of ${count(shown.length)}: ${described}`;
}

function describe(tensor: Tensor): string {
  return `${tensor.dtype} [${tensor.shape.join(', ')}]`;
}

function count(tensors: number): string {
  return `${tensors} ${tensors === 1 ? 'tensor' : 'tensors'}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
