import { type Layer, layerPaths } from '@hookline/layer-taps';
import { serialization } from '@tensorflow/tfjs-core';
import type { Trainable } from './trainable.js';

/** Layers of tfjs whose outputs for a sample depend on that sample alone. */
const INDEPENDENT =
  /^(Activation|Add|Average|Bidirectional|CategoryEncoding|CenterCrop|Concatenate|ConvLSTM2D(Cell)?|ConvRNN2D|Cropping2D|(Depthwise|Separable)?Conv[123]D(Transpose)?|Dense|Dot|ELU|Embedding|Flatten|Functional|(GRU|LSTM|SimpleRNN)(Cell)?|(Global)?(Average|Max)Pooling[123]D|LayerNormalization|LeakyReLU|Masking|Maximum|Minimum|Model|Multiply|PReLU|Permute|ReLU|RNN|RepeatVector|Rescaling|Reshape|Resizing|Sequential|Softmax|StackedRNNCells|ThresholdedReLU|TimeDistributed|UpSampling2D|ZeroPadding2D)$/;
/** Options of recurrent layers that make them depend on chance. */
const RATES = ['dropout', 'recurrentDropout', 'recurrent_dropout'];

/**
 * Whether a model trains the same in any number of processes, up to rounding: what it computes for a sample is then the
 * same in whichever process it is. Modules and layers that are not of tfjs are code, and show nothing: they are taken
 * not to.
 */
export function isSameInAnyWorld({ source }: Pick<Trainable, 'source'>): boolean {
  if (!('layers' in source)) return false;
  return [source, ...layerPaths(source).values()].every((layer) => {
    if (!isIndependent(layer)) return false;
    const config = layer.getConfig();
    return RATES.every((name) => !(Number(config[name] ?? 0) > 0));
  });
}

/** A class that inherits from one of tfjs has its name, unless it says otherwise; but it is not the one that tfjs knows. */
function isIndependent(layer: Layer): boolean {
  const name = layer.getClassName();
  const [known] = serialization.SerializationMap.getMap().classNameMap[name] ?? [];
  return INDEPENDENT.test(name) && layer.constructor === known;
}
