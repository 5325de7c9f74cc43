import type { Tensor } from '@tensorflow/tfjs-core';
import { LayerTapsError } from './errors.js';

/** The outputs after a handler returned something other than undefined; throws when they do not fit the layer. */
export function replacedOutputs(
  path: string,
  outputs: readonly Tensor[],
  returned: unknown,
): readonly Tensor[] {
  const replacements: readonly unknown[] = Array.isArray(returned) ? returned : [returned];
  const bad = problem(outputs, replacements);
  if (bad !== undefined) {
    throw new LayerTapsError(
      'BAD_REPLACEMENT',
      `The tap on "${path}" ${bad} Expected ${expectation(outputs)}, or nothing to leave the output as it is.`,
    );
  }
  return replacements as readonly Tensor[];
}

export function isTensor(value: unknown): value is Tensor {
  return typeof value === 'object' && value !== null && 'dataId' in value && 'dtype' in value;
}

function problem(outputs: readonly Tensor[], replacements: readonly unknown[]): string | undefined {
  for (const replacement of replacements) {
    if (isThenable(replacement)) return 'returned a promise, but a forward pass cannot wait for it.';
    if (!isTensor(replacement)) return `returned ${kindOf(replacement)}, which is not a tensor.`;
    if (replacement.isDisposed) return 'returned a disposed tensor.';
  }
  if (replacements.length !== outputs.length) {
    return `returned ${count(replacements.length)}, but the layer has ${outputs.length} outputs.`;
  }
  const misfit = outputs.findIndex((output, i) => !sameKind(output, replacements[i] as Tensor));
  if (misfit === -1) return undefined;
  return `replaced output ${misfit}, ${describe(outputs[misfit]!)}, by ${describe(replacements[misfit] as Tensor)}.`;
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

function expectation(outputs: readonly Tensor[]): string {
  const described = outputs.map(describe).join(', ');
  return outputs.length === 1 ? `a tensor ${described}` : `a list of ${count(outputs.length)}: ${described}`;
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
