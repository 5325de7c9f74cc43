// Models of sequences with padding, whose losses and gradients sequences.py judges; there each has its twin, by name.

import {
  input,
  type LayersModel,
  layers,
  model,
  type SymbolicTensor,
  sequential,
} from '@tensorflow/tfjs-layers';
import type { LossName, LossSettings } from '../packages/trainer/src/index.js';

export interface SequenceCase {
  model: keyof typeof MODELS;
  loss: LossName;
  settings?: LossSettings;
  weights?: 'samples' | 'steps';
  /** Sizes of the batches that make the one step. */
  batches?: readonly number[];
}

export const STEPS = 5;
export const TOKENS = 7;
const CLASSES = 3;

const embedding = (maskZero = true) =>
  layers.embedding({ inputDim: TOKENS, outputDim: 4, inputLength: STEPS, maskZero });
const head = () => layers.dense({ units: CLASSES });
const recurrent = { returnSequences: true, recurrentActivation: 'sigmoid', units: 3 } as const;

/** Two sequences, each masked or not, joined by a layer; one class for each step. */
function merged(join: layers.Layer, masked: readonly boolean[] = [true, true]): LayersModel {
  const inputs = [input({ shape: [STEPS] }), input({ shape: [STEPS] })];
  const parts = inputs.map((each, i) => embedding(masked[i]).apply(each) as SymbolicTensor);
  const joined = join.apply(parts);
  return model({ inputs, outputs: head().apply(joined) as SymbolicTensor });
}

export const MODELS = {
  dense: () => sequential({ layers: [embedding(), head()] }),
  'no mask': () => sequential({ layers: [embedding(false), head()] }),
  lstm: () => sequential({ layers: [embedding(), layers.lstm(recurrent), head()] }),
  gru: () => sequential({ layers: [embedding(), layers.gru(recurrent), head()] }),
  'layer norm': () => sequential({ layers: [embedding(), layers.layerNormalization(), head()] }),
  add: () => merged(layers.add()),
  average: () => merged(layers.average()),
  multiply: () => merged(layers.multiply()),
  maximum: () => merged(layers.maximum()),
  minimum: () => merged(layers.minimum()),
  concatenate: () => merged(layers.concatenate()),
  'add, one masked': () => merged(layers.add(), [true, false]),
  'multiply, one masked': () => merged(layers.multiply(), [false, true]),
  'concatenate, one masked': () => merged(layers.concatenate(), [true, false]),
  pool: () => sequential({ layers: [embedding(), layers.globalAveragePooling1d({}), head()] }),
} satisfies Record<string, () => LayersModel>;

const every = Object.keys(MODELS) as (keyof typeof MODELS)[];
const sparse = 'sparseSoftmaxCrossentropy';

export const SEQUENCE_CASES: readonly SequenceCase[] = [
  ...every.map((name) => ({ model: name, loss: sparse }) as const),
  ...every.map((name) => ({ model: name, loss: 'meanSquaredError', weights: 'samples' }) as const),
  ...every
    .filter((name) => name !== 'pool')
    .map((name) => ({ model: name, loss: 'softmaxCrossentropy', weights: 'steps' }) as const),
  ...every.map((name) => ({ model: name, loss: sparse, batches: [4, 1, 3] }) as const),
  { model: 'dense', loss: 'sigmoidCrossentropy' },
  { model: 'lstm', loss: 'huber', weights: 'steps' },
  { model: 'dense', loss: 'meanAbsoluteError', weights: 'steps', batches: [5, 3] },
  { model: 'gru', loss: sparse, settings: { ignoreLabel: -100 } },
  { model: 'no mask', loss: sparse, settings: { ignoreLabel: -100 } },
  { model: 'no mask', loss: sparse, settings: { ignoreLabel: -100 }, weights: 'steps' },
  { model: 'no mask', loss: sparse, settings: { ignoreLabel: -100 }, batches: [1, 5, 2] },
  { model: 'lstm', loss: sparse, settings: { classWeights: { 0: 2, 2: 0.5 } } },
  { model: 'dense', loss: sparse, settings: { classWeights: { 1: 3 } }, weights: 'steps' },
  { model: 'lstm', loss: 'softmaxCrossentropy', settings: { labelSmoothing: 0.2 } },
  { model: 'dense', loss: 'sigmoidCrossentropy', settings: { labelSmoothing: 0.3 }, weights: 'samples' },
];
