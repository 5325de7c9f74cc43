import type { TrainableModule } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';

const { layers } = tfl;

/** A model of the zoo: what one sample looks like, and the layers between input and output. */
export interface ZooModel {
  readonly shape: number[];
  /** How many kinds of integers there are in a sample; floats when absent. Kind 0 is padding. */
  readonly kinds?: number;
  build(): tfl.LayersModel | TrainableModule;
}

const recurrentInitializer = 'glorotUniform';

/** Every kind of layer that trains, and the settings that have been wrong on some backend. */
export const ZOO: Readonly<Record<string, ZooModel>> = {
  'MLP with relu and tanh': stack(
    [6],
    () => layers.dense({ units: 8, activation: 'relu' }),
    () => layers.dense({ units: 5, activation: 'tanh' }),
  ),
  'MLP with elu, selu, softplus and hard sigmoid': stack(
    [6],
    ...(['elu', 'selu', 'softplus', 'hardSigmoid', 'softsign'] as const).map(
      (activation) => () => layers.dense({ units: 7, activation }),
    ),
  ),
  'MLP with softmax, swish and gelu': stack(
    [6],
    ...(['softmax', 'swish', 'gelu'] as const).map(
      (activation) => () => layers.dense({ units: 7, activation }),
    ),
  ),
  'prelu, leaky relu, thresholded relu': stack(
    [6],
    () => layers.dense({ units: 7 }),
    () => layers.prelu({ alphaInitializer: 'ones' }),
    () => layers.leakyReLU({ alpha: 0.2 }),
    () => layers.thresholdedReLU({ theta: 0.1 }),
  ),
  'L1, L2 and max norm': stack([6], () =>
    layers.dense({
      units: 5,
      kernelRegularizer: tfl.regularizers.l1l2({ l1: 0.01, l2: 0.1 }),
      kernelConstraint: tfl.constraints.maxNorm({ maxValue: 0.5 }),
    }),
  ),
  'batch normalization of a dense layer': stack(
    [6],
    () => layers.dense({ units: 5 }),
    () => layers.batchNormalization(),
  ),
  'layer normalization': stack(
    [6],
    () => layers.dense({ units: 5 }),
    () => layers.layerNormalization(),
  ),
  'CNN with batch norm and max pooling': images(
    () => layers.conv2d({ filters: 4, kernelSize: 3, padding: 'same', useBias: false }),
    () => layers.batchNormalization(),
    () => layers.maxPooling2d({ poolSize: 2 }),
    () => layers.conv2d({ filters: 3, kernelSize: 2, activation: 'relu' }),
  ),
  'average pooling, same': images(
    () => layers.conv2d({ filters: 4, kernelSize: 3 }),
    () => layers.averagePooling2d({ poolSize: 3, strides: 2, padding: 'same' }),
  ),
  'max pooling, same': images(
    () => layers.conv2d({ filters: 4, kernelSize: 3 }),
    () => layers.maxPooling2d({ poolSize: 3, strides: 2, padding: 'same' }),
  ),
  'convolution with strides, same': images(() =>
    layers.conv2d({ filters: 4, kernelSize: 3, strides: 2, padding: 'same', activation: 'elu' }),
  ),
  'dilated convolution': images(() => layers.conv2d({ filters: 4, kernelSize: 2, dilationRate: 2 })),
  'depthwise convolution': images(() =>
    layers.depthwiseConv2d({
      kernelSize: 3,
      padding: 'same',
      depthMultiplier: 2,
      depthwiseInitializer: 'glorotUniform',
    }),
  ),
  'dilated depthwise convolution': images(() =>
    layers.depthwiseConv2d({ kernelSize: 2, dilationRate: 2, depthwiseInitializer: 'glorotUniform' }),
  ),
  'separable convolution': images(() =>
    layers.separableConv2d({ filters: 4, kernelSize: 3, padding: 'same' }),
  ),
  'dilated separable convolution': images(() =>
    layers.separableConv2d({ filters: 4, kernelSize: 2, dilationRate: 2 }),
  ),
  'transposed convolution and upsampling': images(
    () => layers.conv2dTranspose({ filters: 3, kernelSize: 3, strides: 2, padding: 'same' }),
    () => layers.upSampling2d({ size: [2, 2] }),
    () => layers.averagePooling2d({ poolSize: 7 }),
  ),
  'padding, cropping and global pooling': images(
    () => layers.zeroPadding2d({ padding: 1 }),
    () => layers.conv2d({ filters: 4, kernelSize: 3 }),
    () =>
      layers.cropping2D({
        cropping: [
          [1, 0],
          [0, 1],
        ],
      }),
    () => layers.globalMaxPooling2d({}),
    () => layers.reshape({ targetShape: [2, 2] }),
  ),
  'convolution in one dimension': stack(
    [9, 2],
    () => layers.conv1d({ filters: 4, kernelSize: 3, padding: 'same', dilationRate: 2 }),
    () => layers.averagePooling1d({ poolSize: 2, padding: 'same' }),
    () => layers.flatten(),
  ),
  'convolution of volumes, average pooling, same': volumes(
    () => layers.conv3d({ filters: 3, kernelSize: 2 }),
    () => layers.averagePooling3d({ poolSize: 2, strides: 2, padding: 'same' }),
  ),
  'max pooling of volumes with ties': volumes(
    () => layers.conv3d({ filters: 3, kernelSize: 2, activation: 'relu' }),
    () => layers.maxPooling3d({ poolSize: 2, strides: 1 }),
  ),
  'simple RNN': stack([5, 3], () => layers.simpleRNN({ units: 4, recurrentInitializer })),
  'two LSTMs': stack(
    [5, 3],
    () => layers.lstm({ units: 4, returnSequences: true, recurrentInitializer }),
    () => layers.lstm({ units: 3, recurrentInitializer }),
  ),
  'bidirectional GRU': stack([5, 3], () =>
    layers.bidirectional({
      layer: layers.gru({ units: 3, recurrentInitializer }) as tfl.RNN,
      mergeMode: 'concat',
    }),
  ),
  'embedding with a mask and LSTM': {
    kinds: 6,
    ...stack(
      [5],
      () => layers.embedding({ inputDim: 6, outputDim: 4, maskZero: true }),
      () => layers.lstm({ units: 4, recurrentInitializer }),
    ),
  },
  'branches that are added, multiplied and concatenated': { shape: [6], build: branches },
  'attention block of raw operations': { shape: [4, 6], build: attention },
};

function stack(shape: number[], ...make: (() => tfl.layers.Layer)[]): ZooModel {
  return {
    shape,
    build: () =>
      tfl.sequential({
        layers: [
          layers.inputLayer({ inputShape: shape }),
          ...make.map((layer) => layer()),
          layers.dense({ units: 2 }),
        ],
      }),
  };
}

function images(...make: (() => tfl.layers.Layer)[]): ZooModel {
  return stack([7, 6, 2], ...make, () => layers.flatten());
}

function volumes(...make: (() => tfl.layers.Layer)[]): ZooModel {
  return stack([4, 5, 4, 2], ...make, () => layers.flatten());
}

function branches(): tfl.LayersModel {
  const input = tfl.input({ shape: [6] });
  const branch = () => layers.dense({ units: 4, activation: 'sigmoid' }).apply(input) as tfl.SymbolicTensor;
  const [a, b, c] = [branch(), branch(), branch()];
  const merged = [
    layers.add().apply([a, b]),
    layers.multiply().apply([b, c]),
    layers.maximum().apply([a, c]),
    layers.average().apply([a, b, c]),
    layers.dot({ axes: 1, normalize: true }).apply([a, c]),
  ] as tfl.SymbolicTensor[];
  const joined = layers.concatenate().apply(merged);
  return tfl.model({
    inputs: input,
    outputs: layers.dense({ units: 2 }).apply(joined) as tfl.SymbolicTensor,
  });
}

function attention(): TrainableModule {
  const weight = (rows: number, columns: number) => tf.variable(tf.zeros([rows, columns]));
  const variables = { q: weight(6, 6), k: weight(6, 6), v: weight(6, 6), out: weight(6, 2) };
  return {
    parameters: () => variables,
    forward: (xs) => {
      const x = xs as tf.Tensor3D;
      const project = (w: tf.Variable) => tf.einsum('btd, de -> bte', x, w);
      const scores = tf.matMul(project(variables.q), project(variables.k), false, true);
      const mixed = tf.matMul(tf.softmax(tf.mul(scores, 1 / Math.sqrt(6))), project(variables.v));
      const last = tf.gather(tf.add(x, mixed), tf.tensor1d([3], 'int32'), -2);
      return tf.reshape(tf.einsum('btd, de -> bte', last, variables.out), [-1, 2]);
    },
  };
}
