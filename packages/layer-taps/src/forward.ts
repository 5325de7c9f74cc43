import type { Tensor } from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import { isModule, type TappableModel } from './module.js';
import { isTensor } from './replacement.js';

/** One tensor, a list of them (several inputs or outputs), or tensors by name. */
export type Tensors = Tensor | Tensor[] | Record<string, Tensor>;

/** Runs the model once, whatever it was built with, in the caller's tidy or tape. */
export function forward(
  model: TappableModel,
  xs: Tensors,
  { training = false }: { training?: boolean } = {},
): Tensors {
  if (isModule(model)) {
    return model.forward(xs as never, { training, tap: (_path, output) => output }) as Tensors;
  }
  return model.apply(inputsOf(model, xs), { training }) as Tensor | Tensor[];
}

function inputsOf(model: LayersModel, xs: Tensors): Tensor | Tensor[] {
  if (Array.isArray(xs) || isTensor(xs)) return xs;
  // A Sequential keeps its graph, and the names of its inputs, in an inner model.
  const { inputNames } = (model as { model?: LayersModel }).model ?? model;
  return inputNames.map((name) => xs[name]!);
}
