import type { Layer } from '@hookline/layer-taps';

/** Puts something right in the layers of a model for one forward pass; what it returns undoes that. */
export type Correction = (training: boolean) => () => void;

/** One function that undoes all, the latest first. */
export function undoAll(undo: readonly (() => void)[]): () => void {
  return () => {
    for (const undoOne of undo.toReversed()) undoOne();
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a method of a layer, whatever it takes.
type Method = (...args: any[]) => unknown;

/**
 * Wraps a method of this one layer. What was there before, such as a tap, is called by the wrapper, so corrections
 * and taps work in whatever order they come. Hidden from `Object.entries`, like the method of the class.
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
    // Somebody patched the layer during the pass and holds our wrapper: it stays and hands everything on.
    if (layer[name] === value) restore(layer, name, before);
  };
}

/** Gives this one layer another value of a property. */
export function overrideProperty(layer: Layer, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(layer, name);
  Object.defineProperty(layer, name, { value, configurable: true, writable: true, enumerable: false });
  return () => restore(layer, name, before);
}

/** Gives this one layer a property that is worked out each time it is read. */
export function overrideGetter(layer: Layer, name: string, get: () => unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(layer, name);
  Object.defineProperty(layer, name, { get, configurable: true, enumerable: false });
  return () => restore(layer, name, before);
}

function restore(layer: Layer, name: string, before: PropertyDescriptor | undefined): void {
  if (before) Object.defineProperty(layer, name, before);
  else Reflect.deleteProperty(layer, name);
}
