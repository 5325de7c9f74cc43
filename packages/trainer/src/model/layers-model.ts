import type { TensorTree } from '@hookline/hook-api';
import { layerPaths, parameterPaths, tap } from '@hookline/layer-taps';
import type { Scalar, Tensor, Variable } from '@tensorflow/tfjs-core';
import type { LayersModel, SymbolicTensor } from '@tensorflow/tfjs-layers';
import { trainerError } from '../errors.js';
import { isTensor } from '../tensors.js';
import type { NamedShape, Parameter, Trainable } from './trainable.js';

/** Adapts a Sequential or functional model of tfjs-layers. */
export function layersModel(model: LayersModel): Trainable {
  // A Sequential keeps its graph in an inner model, which alone reports its losses rightly.
  const graph = (model as { model?: LayersModel }).model ?? model;
  const parameters = parameterPaths(model).map(({ path, variable }): Parameter => {
    const { constraint } = variable;
    const value = variable.read() as Variable;
    return {
      path,
      variable: value,
      ...(constraint && { constraint: (weights) => constraint.apply(weights) }),
    };
  });
  return {
    source: model,
    parameters,
    // Asked of the model: a frozen RNN leaves the flags of its cell's variables as they were.
    trained: () => {
      const variables = new Set(graph.trainableWeights.map((weight) => weight.read()));
      return parameters.filter(({ variable }) => variables.has(variable));
    },
    shapes: {
      inputs: named(graph.inputs, graph.inputNames),
      outputs: named(graph.outputs, graph.outputNames),
    },
    forward: (xs, training) => model.apply(ordered(xs, graph.inputNames), { training }) as Tensor | Tensor[],
    regularization: () => graph.calculateLosses() as Scalar[],
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
