import type { TensorTree, TrainableModule } from '@hookline/hook-api';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { LayersModel, Sequential } from '@tensorflow/tfjs-layers';
import { trainerError } from '../errors.js';
import { customModule } from './custom-module.js';
import { layersModel } from './layers-model.js';
import type { Trainable } from './trainable.js';

export type Model = LayersModel | TrainableModule;

/** A model, or a function that makes one: then initialisation follows the seed. */
export type ModelOption<Built extends Model = Model> = Built | (() => Built | Promise<Built>);

/** What a model of this type computes: a Sequential has one output, a module says what it returns. */
export type OutputsOf<Built> = Built extends Sequential
  ? Tensor
  : Built extends { forward(...args: never[]): infer Outputs extends TensorTree }
    ? Outputs
    : TensorTree;

/** Runs code, which may wait, with a seeded generator behind `Math.random`. */
export interface Seeded {
  duringAsync<Result>(section: () => Result | Promise<Result>): Promise<Result>;
}

export async function buildModel(option: ModelOption, random: Seeded): Promise<Trainable> {
  const model = typeof option === 'function' ? await random.duringAsync(option) : option;
  if (isModule(model)) return customModule(model);
  if (isLayersModel(model)) return layersModel(model);
  throw trainerError(
    'BAD_MODEL',
    typeof (Object(model) as { then?: unknown }).then === 'function'
      ? 'model is a promise. Await it, or pass the function that makes it: model: () => tf.loadLayersModel(url).'
      : 'model is neither a tf.LayersModel nor a TrainableModule (an object with parameters() and forward()), nor a function that returns one.',
  );
}

// By shape, never instanceof: two copies of tfjs-layers may be installed.
function isLayersModel(model: unknown): model is LayersModel {
  return typeof model === 'object' && model !== null && 'layers' in model && 'apply' in model;
}

function isModule(model: unknown): model is TrainableModule {
  return typeof model === 'object' && model !== null && 'forward' in model && !('layers' in model);
}
