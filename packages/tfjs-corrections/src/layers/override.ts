import type { Layer } from '@hookline/layer-taps';
import type { Tensor } from '@tensorflow/tfjs-core';

/** Receives the mask of each output of a model, in their order. Clone what you keep. */
export type TakeMasks = (masks: readonly (Tensor | undefined)[]) => void;

/** Corrects something in the layers of a model for one forward pass. The function it returns undoes that. */
export type Correction = (training: boolean, takeMasks?: TakeMasks) => () => void;

/** One function that undoes all of them, the latest first. */
export function undoAll(undo: readonly (() => void)[]): () => void {
  return () => {
    for (const undoOne of undo.toReversed()) undoOne();
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a method of a layer, whatever it takes.
type Method = (...args: any[]) => unknown;

/**
 * Wraps a method of this one layer. The wrapper calls what was there before, such as a tap, so corrections and taps work
 * in any order. Hidden from `Object.entries`, like the method of the class.
 */
export function overrideMethod<Name extends 'apply' | 'call'>(
  layer: Layer,
  name: Name,
  wrap: (original: Layer[Name]) => Layer[Name],
): () => void {
  const before = Object.getOwnPropertyDescriptor(layer, name);
  const original = (layer[name] as Method).bind(layer) as Layer[Name];
  const wrapped = wrap(original) as Method;
  let active = true;
  const value = (...args: unknown[]) => (active ? wrapped : (original as Method))(...args);
  Object.defineProperty(layer, name, { value, configurable: true, writable: true, enumerable: false });
  return () => {
    active = false;
    // If somebody patched the layer during the pass, that patch holds our wrapper: it stays and passes calls on.
    if (layer[name] === value) restore(layer, name, before);
  };
}

/** Gives a property of this one layer another value. */
export function overrideProperty(layer: Layer, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(layer, name);
  Object.defineProperty(layer, name, { value, configurable: true, writable: true, enumerable: false });
  return () => restore(layer, name, before);
}

/** Computes a property of this one layer each time it is read. */
export function overrideGetter(layer: Layer, name: string, get: () => unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(layer, name);
  Object.defineProperty(layer, name, { get, configurable: true, enumerable: false });
  return () => restore(layer, name, before);
}

function restore(layer: Layer, name: string, before: PropertyDescriptor | undefined): void {
  if (before) Object.defineProperty(layer, name, before);
  else Reflect.deleteProperty(layer, name);
}
