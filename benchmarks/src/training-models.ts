import { attention } from '@hookline/backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { initializers, layers, type SequentialArgs, sequential } from '@tensorflow/tfjs-layers';

type Layers = NonNullable<SequentialArgs['layers']>;

type Three = [tf.Tensor3D, tf.Tensor3D, tf.Tensor3D];

/** A model with one batch of data, as far as a step of training needs them. */
export interface TrainingModel {
  readonly variables: tf.Variable[];
  readonly targets: tf.Tensor;
  readonly loss: 'meanSquaredError' | 'categoricalCrossentropy' | 'softmaxCrossentropy';
  forward(): tf.Tensor;
}

/** The same shapes as in training-steps.py. */
export const TRAINING_MODELS: Readonly<Record<string, () => TrainingModel>> = {
  tiny: () =>
    layered(
      [layers.dense({ units: 16, activation: 'relu', inputShape: [8] }), layers.dense({ units: 1 })],
      tf.randomNormal([8, 8], 0, 1, 'float32', 1),
      tf.randomNormal([8, 1], 0, 1, 'float32', 2),
    ),
  MLP: () =>
    layered(
      [
        layers.dense({ units: 256, activation: 'relu', inputShape: [784] }),
        layers.dense({ units: 128, activation: 'relu' }),
        layers.dense({ units: 10, activation: 'softmax' }),
      ],
      tf.randomUniform([64, 784], 0, 1, 'float32', 1),
      classes(64, 10),
    ),
  CNN: () =>
    layered(
      [
        layers.conv2d({ filters: 16, kernelSize: 3, padding: 'same', activation: 'relu', inputShape: IMAGE }),
        layers.maxPooling2d({ poolSize: 2 }),
        layers.conv2d({ filters: 32, kernelSize: 3, padding: 'same', activation: 'relu' }),
        layers.maxPooling2d({ poolSize: 2 }),
        layers.flatten(),
        layers.dense({ units: 10, activation: 'softmax' }),
      ],
      tf.randomUniform([32, ...IMAGE], 0, 1, 'float32', 1),
      classes(32, 10),
    ),
  'CNN with batch norm': () =>
    layered(
      [
        layers.conv2d({ filters: 16, kernelSize: 3, padding: 'same', useBias: false, inputShape: IMAGE }),
        layers.batchNormalization(),
        layers.activation({ activation: 'relu' }),
        layers.maxPooling2d({ poolSize: 2 }),
        layers.conv2d({ filters: 32, kernelSize: 3, padding: 'same', useBias: false }),
        layers.batchNormalization(),
        layers.activation({ activation: 'relu' }),
        layers.maxPooling2d({ poolSize: 2 }),
        layers.flatten(),
        layers.dense({ units: 10, activation: 'softmax' }),
      ],
      tf.randomUniform([32, ...IMAGE], 0, 1, 'float32', 1),
      classes(32, 10),
    ),
  'depthwise CNN': () =>
    layered(
      [
        layers.conv2d({ filters: 16, kernelSize: 3, padding: 'same', activation: 'relu', inputShape: IMAGE }),
        layers.depthwiseConv2d({ kernelSize: 3, padding: 'same', depthwiseInitializer: seeded(5) }),
        layers.conv2d({ filters: 32, kernelSize: 1, activation: 'relu' }),
        layers.maxPooling2d({ poolSize: 2 }),
        layers.depthwiseConv2d({ kernelSize: 3, padding: 'same', depthwiseInitializer: seeded(6) }),
        layers.conv2d({ filters: 64, kernelSize: 1, activation: 'relu' }),
        layers.globalAveragePooling2d({}),
        layers.dense({ units: 10, activation: 'softmax' }),
      ],
      tf.randomUniform([32, ...IMAGE], 0, 1, 'float32', 1),
      classes(32, 10),
    ),
  LSTM: () =>
    layered(
      [
        layers.lstm({
          units: 64,
          inputShape: [20, 16],
          recurrentActivation: 'sigmoid',
          recurrentInitializer: seeded(4),
        }),
        layers.dense({ units: 10, activation: 'softmax' }),
      ],
      tf.randomNormal([32, 20, 16], 0, 1, 'float32', 1),
      classes(32, 10),
    ),
  embedding: () =>
    layered(
      [
        layers.embedding({ inputDim: 1000, outputDim: 32, inputLength: 16 }),
        layers.flatten(),
        layers.dense({ units: 10, activation: 'softmax' }),
      ],
      tf.floor(tf.randomUniform([32, 16], 0, 1000, 'float32', 1)),
      classes(32, 10),
    ),
  'transformer block': () => transformerBlock(false),
  'transformer block with attention()': () => transformerBlock(true),
};

const IMAGE = [28, 28, 1];

function seeded(seed: number) {
  return initializers.glorotUniform({ seed });
}

export function classes(count: number, of: number): tf.Tensor {
  const labels = tf.cast(tf.randomUniform([count], 0, of, 'float32', 3), 'int32') as tf.Tensor1D;
  return tf.cast(tf.oneHot(labels, of), 'float32');
}

export function layered(stack: Layers, xs: tf.Tensor, targets: tf.Tensor): TrainingModel {
  const model = sequential({ layers: stack });
  return {
    variables: model.trainableWeights.map((weight) => weight.read() as tf.Variable),
    targets,
    loss: targets.shape.at(-1) === 1 ? 'meanSquaredError' : 'categoricalCrossentropy',
    forward: () => model.apply(xs, { training: true }) as tf.Tensor,
  };
}

/**
 * Tokens of 256 kinds, 32 in a row, 8 rows; width 64, 4 heads; predicts a token at each place. Attention is written with
 * operations of tfjs, or is one operation of ours.
 */
function transformerBlock(isFused: boolean): TrainingModel {
  const [batch, time, width, heads, kinds] = [8, 32, 64, 4, 256];
  const weight = (shape: number[], seed: number) =>
    tf.variable(tf.randomNormal(shape, 0, 1 / Math.sqrt(shape[0]!), 'float32', seed));
  const embedding = weight([kinds, width], 1);
  const query = weight([width, width], 2);
  const key = weight([width, width], 3);
  const value = weight([width, width], 4);
  const joined = weight([width, width], 5);
  const [wide, narrow] = [weight([width, 4 * width], 6), weight([4 * width, width], 7)];
  const head = weight([width, kinds], 8);
  const norms = [1, 2, 3].map(() => layers.layerNormalization());
  const tokens = tf.cast(tf.randomUniform([batch, time], 0, kinds, 'float32', 9), 'int32');
  for (const norm of norms) norm.apply(tf.zeros([1, time, width]));
  const times = (x: tf.Tensor, w: tf.Tensor) =>
    tf.reshape(tf.matMul(tf.reshape(x, [batch * time, -1]), w), [batch, time, w.shape[1]!]);
  const split = (x: tf.Tensor) =>
    tf.transpose(tf.reshape(x, [batch, time, heads, width / heads]), [0, 2, 1, 3]);
  const mixed = (q: tf.Tensor, k: tf.Tensor, v: tf.Tensor) => {
    const scores = tf.matMul(split(q), split(k), false, true);
    const weights = tf.softmax(tf.mul(scores, 1 / Math.sqrt(width / heads)));
    return tf.reshape(tf.transpose(tf.matMul(weights, split(v)), [0, 2, 1, 3]), [batch, time, width]);
  };
  const forward = () => {
    let x: tf.Tensor = tf.gather(embedding, tokens);
    const a = norms[0]!.apply(x) as tf.Tensor;
    const [q, k, v] = [times(a, query), times(a, key), times(a, value)] as Three;
    x = tf.add(x, times(isFused ? attention(q, k, v, { heads }) : mixed(q, k, v), joined));
    const b = norms[1]!.apply(x) as tf.Tensor;
    x = tf.add(x, times(tf.relu(times(b, wide)), narrow));
    return tf.reshape(times(norms[2]!.apply(x) as tf.Tensor, head), [batch * time, kinds]);
  };
  const own = norms.flatMap((norm) => norm.trainableWeights.map((each) => each.read() as tf.Variable));
  return {
    variables: [embedding, query, key, value, joined, wide, narrow, head, ...own],
    targets: classes(batch * time, kinds),
    loss: 'softmaxCrossentropy',
    forward,
  };
}
