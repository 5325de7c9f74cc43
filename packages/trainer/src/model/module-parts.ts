import { withoutPrefix, withPrefix } from '@hookline/numerics';
import type { Parameter } from '@hookline/optimizers';
import { type CorrectedPass, correctLayers } from '@hookline/tfjs-corrections';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import { type LayerStates, NO_LAYER_STATES } from './layer-states.js';
import { layersModel } from './layers-model.js';
import type { Trainable } from './trainable.js';

/** The models of tfjs-layers that a module is made of, as one, with paths that begin with the names of the parts. */
export type ModuleParts = Pick<
  Trainable,
  'parameters' | 'buffers' | 'layerStates' | 'trained' | 'regularization' | 'tap'
> & {
  /** Runs a pass of the module with all layers corrected. */
  readonly corrected: CorrectedPass;
  readonly paths: readonly string[];
};

/** Runs a part of a module, a model with one output, in its `forward`. */
export function applyPart(
  part: LayersModel,
  inputs: Tensor | Tensor[],
  { training }: { training: boolean },
): Tensor {
  return part.apply(inputs, { training }) as Tensor;
}

export function moduleParts(models: Readonly<Record<string, LayersModel>>): ModuleParts {
  const parts = Object.entries(models).map(([name, model]) => partOf(`${name}/`, model));
  const stateful = parts.filter(({ trainable }) => trainable.layerStates !== NO_LAYER_STATES);
  const layerStates: LayerStates = {
    read: () =>
      Object.assign(
        {},
        ...stateful.map(({ prefix, trainable }) => withPrefix(trainable.layerStates.read(), prefix)),
      ),
    write: (states) => {
      for (const { prefix, trainable } of stateful)
        trainable.layerStates.write(withoutPrefix(states, prefix));
    },
  };
  return {
    parameters: parts.flatMap(({ renamed }) => [...renamed.values()]),
    buffers: parts.flatMap(({ trainable, renamed }) => trainable.buffers.map((each) => renamed.get(each)!)),
    layerStates: stateful.length > 0 ? layerStates : NO_LAYER_STATES,
    trained: () =>
      parts.flatMap(({ trainable, renamed }) => trainable.trained().map((each) => renamed.get(each)!)),
    regularization: () => parts.flatMap(({ trainable }) => trainable.regularization()),
    corrected: (training, forward) =>
      parts.reduce(
        (pass, { corrected }) =>
          () =>
            corrected(training, pass),
        forward,
      )(),
    paths: parts.flatMap(({ prefix, trainable }) =>
      (trainable.layerPaths() ?? []).map((path) => prefix + path),
    ),
    tap: (wanted, handler) => {
      const removers = parts
        .filter(({ prefix, trainable }) => trainable.layerPaths()!.some((path) => wanted(prefix + path)))
        .map(({ prefix, trainable }) =>
          trainable.tap(
            (path) => wanted(prefix + path),
            (point) => handler({ ...point, path: prefix + point.path }),
          ),
        );
      return () => {
        for (const remove of removers) remove();
      };
    },
  };
}

function partOf(prefix: string, model: LayersModel) {
  const trainable = layersModel(model);
  const renamed = new Map<Parameter, Parameter>(
    trainable.parameters.map((each) => [each, { ...each, path: prefix + each.path }]),
  );
  return { prefix, trainable, renamed, corrected: correctLayers(model) };
}
