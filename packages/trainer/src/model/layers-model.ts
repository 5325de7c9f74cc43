import type { NamedShape } from '@hookline/data';
import type { TensorTree } from '@hookline/hook-api';
import { layerPaths, parameterPaths, tap } from '@hookline/layer-taps';
import { isTensor, leaves } from '@hookline/numerics';
import type { Parameter } from '@hookline/optimizers';
import { completeChainedOps, correctLayers, regularizationOf } from '@hookline/tfjs-corrections';
import { clone, type Tensor, type Variable } from '@tensorflow/tfjs-core';
import type { LayersModel, LayerVariable, SymbolicTensor } from '@tensorflow/tfjs-layers';
import { trainerError } from '../errors.js';
import { layerStatesOf } from './layer-states.js';
import type { Trainable } from './trainable.js';

// At import, because models are built before there is a trainer.
completeChainedOps();

/** Adapts a Sequential or functional model of tfjs-layers. */
export function layersModel(model: LayersModel): Trainable {
  const parameters = parameterPaths(model).map(({ path, variable }): Parameter => {
    const { constraint } = variable;
    const value = variable.read() as Variable;
    return {
      path,
      variable: value,
      ...(constraint && { constraint: (weights) => constraint.apply(weights) }),
    };
  });
  const graph = graphOf(model as Parameters<typeof graphOf>[0]);
  const corrected = correctLayers(model);
  const outputNames = namesOfOutputs(model, graph);
  const buffers = bufferVariables(model);
  const masks = new WeakMap<Tensor, Tensor>();
  return {
    source: model,
    parameters,
    buffers: parameters.filter(({ variable }) => buffers.has(variable)),
    layerStates: layerStatesOf(model),
    // Asked of the model: a frozen RNN leaves the flags of its cell's variables as they were.
    trained: () => {
      const variables = new Set(graph.trainableWeights.map((weight) => weight.read()));
      return parameters.filter(({ variable }) => variables.has(variable));
    },
    shapes: {
      inputs: named(graph.inputs, graph.inputNames),
      outputs: named(graph.outputs, outputNames),
    },
    forward: (xs, training) => {
      const inputs = ordered(xs, graph.inputNames);
      let found: readonly (Tensor | undefined)[] = [];
      const outputs = corrected(
        training,
        () => model.apply(inputs, { training }) as Tensor | Tensor[],
        (given) => {
          found = given.map((mask) => mask && clone(mask));
        },
      );
      found.forEach((mask, index) => {
        if (mask) masks.set(leaves(outputs)[index]!, mask);
      });
      return outputs;
    },
    masksOf: (outputs) => {
      const found = leaves(outputs).map((output) => masks.get(output));
      return found.some((mask) => mask !== undefined) ? found : undefined;
    },
    named: (outputs) =>
      Object.fromEntries(
        (isTensor(outputs) ? [outputs] : (outputs as Tensor[])).map((output, index) => [
          outputNames[index]!,
          output,
        ]),
      ),
    regularization: regularizationOf(model),
    layerPaths: () => [...layerPaths(model).keys()],
    tap: (wanted, handler) => {
      const { remove } = tap(model, wanted, (event) => {
        const replaced = handler(event);
        // An RNN cell has its state beside its output; hooks see and replace the output.
        return replaced && event.outputs.length > 1 ? [replaced, ...event.outputs.slice(1)] : replaced;
      });
      return remove;
    },
  };
}

/** Weights that were never meant to be trained. Those of a frozen layer are not among them: nothing changes them. */
function bufferVariables(model: LayersModel): ReadonlySet<Variable> {
  type Buffers = { _nonTrainableWeights?: readonly LayerVariable[] };
  const weights = [...layerPaths(model).values()].flatMap(
    (layer) => (layer as unknown as Buffers)._nonTrainableWeights ?? [],
  );
  return new Set(weights.map((weight) => weight.read() as Variable));
}

/** A Sequential keeps its graph in an inner model. */
function graphOf(model: LayersModel & { model?: LayersModel; build(): void }): LayersModel {
  // The inner model is out of date when layers were added after its first use.
  if ('add' in model && !model.built) model.build();
  return model.model ?? model;
}

/**
 * Outputs go by the path of their layer, which is its name where the user gave one and the same in every process. One
 * layer can give two outputs: then they go by number.
 */
function namesOfOutputs(model: LayersModel, graph: LayersModel): string[] {
  const paths = new Map([...layerPaths(model)].map(([path, layer]) => [layer, path]));
  const names = graph.outputLayers.map((layer) => paths.get(layer) ?? layer.name);
  return new Set(names).size === names.length ? names : names.map((_, index) => String(index));
}

function named(tensors: readonly SymbolicTensor[], names: readonly string[]): NamedShape[] {
  return tensors.map(({ shape }, index) => ({ name: names[index]!, shape: shape.slice(1) }));
}

function ordered(xs: TensorTree, names: readonly string[]): Tensor | Tensor[] {
  if (isTensor(xs) || Array.isArray(xs)) return xs;
  return names.map((name) => {
    const input = xs[name];
    if (input) return input;
    throw trainerError(
      'BAD_BATCH',
      `The batch has no input "${name}"; xs has: ${Object.keys(xs).join(', ')}.`,
    );
  });
}
