import type { Layer } from '@hookline/layer-taps';
import { isTensor } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import { innerModels, isModel } from './layers-of.js';
import { maskedInputs } from './masked-inputs.js';
import { outputMasks, passesMasks } from './output-masks.js';
import { type Correction, overrideMethod, overrideProperty, type TakeMasks, undoAll } from './override.js';

/**
 * Stock passes one object of arguments to all layers. A mask, or the initial state of an RNN, that is set on it for one
 * layer is still there for the next: an RNN in another branch skips steps that are not masked, and a second RNN after one
 * with an initial state fails. A model inside a model does not get the masks of its inputs.
 *
 * Here a mask belongs to the tensor that it masks, as in Keras, and each layer gets its own arguments.
 */
export function masks(model: LayersModel, layers: readonly Layer[]): Correction | undefined {
  if (!layers.some((layer) => startsMasks(model, layer) || hasInitialState(layer))) return undefined;
  // Only models run their layers with shared arguments. Wrappers call the layers inside them themselves.
  const run = new Set([model, ...innerModels(layers)].flatMap((container) => container.layers));
  return (_training, takeMasks) => {
    const pass = new MaskedPass();
    const undo = [() => pass.dispose(), ...[...run].map((layer) => pass.install(layer))];
    if (takeMasks) undo.push(pass.watch(model, takeMasks));
    return undoAll(undo);
  };
}

/** The masks of one forward pass. They outlive the scopes of inner models and are disposed together. */
class MaskedPass {
  readonly #masks = new Map<tf.Tensor, tf.Tensor | undefined>();
  /** The masks of the outputs that each layer gave last. */
  readonly #latest = new Map<Layer, readonly (tf.Tensor | undefined)[]>();
  readonly #owned = new Set<tf.Tensor>();

  install(layer: Layer): () => void {
    const { supportsMasking } = layer;
    const undoApply = overrideMethod(layer, 'apply', (apply) => (inputs, kwargs) => {
      const values = asList(inputs);
      if (!values.every(isTensor)) return apply(inputs, kwargs);
      const given = values.map((value) => this.#masks.get(value));
      const { mask: _mask, initialState: _state, ...own } = kwargs ?? {};
      const outputs = apply(
        maskedInputs(layer, values, given) ?? inputs,
        given[0] ? { ...own, mask: given[0] } : own,
      ) as tf.Tensor | tf.Tensor[];
      this.#remember(layer, asList(outputs), () =>
        supportsMasking ? this.#computeMasks(layer, values, given, asList(outputs).length) : [],
      );
      return outputs;
    });
    // So that tfjs leaves the masks to this class.
    const undoSupport = overrideProperty(layer, 'supportsMasking', false);
    return undoAll([undoApply, undoSupport]);
  }

  /** Hands over the masks of the model's outputs when the pass is over. */
  watch(model: LayersModel, takeMasks: TakeMasks): () => void {
    let masks: readonly (tf.Tensor | undefined)[] = [];
    const undo = overrideMethod(model, 'apply', (apply) => (inputs, kwargs) => {
      const outputs = apply(inputs, kwargs) as tf.Tensor | tf.Tensor[];
      masks = this.#masksOfModel(model, asList(outputs));
      return outputs;
    });
    return () => {
      undo();
      if (masks.some((mask) => mask !== undefined)) takeMasks(masks);
    };
  }

  dispose(): void {
    tf.dispose([...this.#owned]);
  }

  #computeMasks(
    layer: Layer,
    values: tf.Tensor[],
    given: readonly (tf.Tensor | undefined)[],
    count: number,
  ): readonly (tf.Tensor | undefined)[] {
    layer.supportsMasking = true;
    try {
      return outputMasks(layer, values, given, count);
    } finally {
      layer.supportsMasking = false;
    }
  }

  #remember(
    layer: Layer,
    outputs: readonly tf.Tensor[],
    compute: () => readonly (tf.Tensor | undefined)[],
  ): void {
    const found = isModel(layer) ? this.#masksOfModel(layer, outputs) : compute();
    this.#latest.set(layer, found);
    outputs.forEach((output, i) => {
      const mask = found[i];
      if (mask) this.#owned.add(tf.keep(mask));
      this.#masks.set(output, mask);
    });
  }

  /** The outputs of a model are those of its layers, unless a tap replaced them. */
  #masksOfModel(model: LayersModel, outputs: readonly tf.Tensor[]): readonly (tf.Tensor | undefined)[] {
    return outputs.map((output, i) => {
      if (this.#masks.has(output)) return this.#masks.get(output);
      const { sourceLayer, outputTensorIndex = 0 } = model.outputs[i]!;
      return this.#latest.get(sourceLayer)?.[outputTensorIndex];
    });
  }
}

/** Whether masks can start here: at a Masking, an Embedding with maskZero, or a custom layer that computes masks. */
function startsMasks(model: LayersModel, layer: Layer): boolean {
  if (!layer.supportsMasking || isModel(layer)) return false;
  return layer.computeMask !== inherited(model).computeMask && !passesMasks(layer);
}

/** The methods of the class that all layers inherit from, in the model's copy of tfjs-layers. */
function inherited(model: LayersModel): Layer {
  let prototype: object = model;
  for (let next: object | null = prototype; next; next = Object.getPrototypeOf(next)) {
    if (Object.hasOwn(next, 'computeMask')) prototype = next;
  }
  return prototype as Layer;
}

function hasInitialState(layer: Layer): boolean {
  if (!('cell' in layer || 'forwardLayer' in layer)) return false;
  return layer.inboundNodes.some(({ inputTensors }) => inputTensors.length > 1);
}

function asList<Value>(values: Value | Value[]): Value[] {
  return Array.isArray(values) ? values : [values];
}
