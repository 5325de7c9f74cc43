import type { Tensor } from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import { isLayer } from './layer.js';

export interface ModuleOptions {
  training: boolean;
  /** Shows `output` under this path; returns what to go on with. */
  tap<Output extends Tensor>(path: string, output: Output): Output;
}

/** A model built from raw ops that names points of its forward pass: `h = tap('block_1/mlp', h)`. */
export interface TappableModule {
  // `never`: whatever the module takes. What is run with it is checked where it is run.
  forward(xs: never, options: ModuleOptions): unknown;
}

export type TappableModel = LayersModel | TappableModule;

/** By shape, as everywhere: the module's class may come from anywhere. */
export function isModule(model: unknown): model is TappableModule {
  if (typeof model !== 'object' || model === null || isLayer(model)) return false;
  return typeof (model as Partial<TappableModule>).forward === 'function';
}
