import * as tf from '@tensorflow/tfjs-core';
import { initializers, layers } from '@tensorflow/tfjs-layers';
import { classes, layered, type TrainingModel } from './training-models.js';

/** Models large enough that products and convolutions are most of a step. The same shapes as in training-steps.py. */
export const LARGE_MODELS: Readonly<Record<string, () => TrainingModel>> = {
  'CNN of 64 channels': () =>
    layered(
      [
        layers.conv2d({ ...conv(32), inputShape: [32, 32, 3] }),
        layers.conv2d(conv(64)),
        layers.maxPooling2d({ poolSize: 2 }),
        layers.conv2d(conv(64)),
        layers.maxPooling2d({ poolSize: 2 }),
        layers.flatten(),
        layers.dense({ units: 10, activation: 'softmax' }),
      ],
      tf.randomUniform([32, 32, 32, 3], 0, 1, 'float32', 1),
      classes(32, 10),
    ),
  'LSTM 128': () =>
    layered(
      [
        layers.lstm({
          units: 128,
          inputShape: [64, 64],
          recurrentActivation: 'sigmoid',
          recurrentInitializer: initializers.glorotUniform({ seed: 4 }),
        }),
        layers.dense({ units: 10, activation: 'softmax' }),
      ],
      tf.randomNormal([64, 64, 64], 0, 1, 'float32', 1),
      classes(64, 10),
    ),
  'GPT of width 128': gpt,
};

function conv(filters: number) {
  return { filters, kernelSize: 3, padding: 'same', activation: 'relu' } as const;
}

/** Two blocks with 4 heads over 64 tokens of 65 kinds, 32 in a batch; everything is written with operations of tfjs. */
function gpt(): TrainingModel {
  const [batch, time, width, heads, kinds, blocks] = [32, 64, 128, 4, 65, 2];
  const variables: tf.Variable[] = [];
  const weight = (...shape: number[]) => {
    const seed = variables.length + 1;
    const variable = tf.variable(tf.randomNormal(shape, 0, 0.02, 'float32', seed));
    variables.push(variable);
    return variable;
  };
  const dense = (inside: number, outside: number) => {
    const [kernel, bias] = [weight(inside, outside), weight(outside)];
    return (x: tf.Tensor) =>
      tf.reshape(tf.add(tf.matMul(tf.reshape(x, [batch * time, inside]), kernel), bias), [
        batch,
        time,
        outside,
      ]);
  };
  const norm = () => {
    const [gamma, beta] = [weight(width), weight(width)];
    return (x: tf.Tensor) => {
      const { mean, variance } = tf.moments(x, -1, true);
      return tf.add(tf.mul(tf.div(tf.sub(x, mean), tf.sqrt(tf.add(variance, 1e-5))), gamma), beta);
    };
  };
  const split = (x: tf.Tensor) =>
    tf.transpose(tf.reshape(x, [batch, time, heads, width / heads]), [0, 2, 1, 3]);
  const unseen = tf.tensor2d(
    Array.from({ length: time }, (_, row) =>
      Array.from({ length: time }, (_, key) => (key > row ? -1e9 : 0)),
    ),
  );
  const block = () => {
    const [first, second] = [norm(), norm()];
    const [query, key, value, joined] = [1, 2, 3, 4].map(() => dense(width, width)) as [
      Layer,
      Layer,
      Layer,
      Layer,
    ];
    const [wide, narrow] = [dense(width, 4 * width), dense(4 * width, width)];
    return (x: tf.Tensor) => {
      const a = first(x);
      const scores = tf.mul(
        tf.matMul(split(query(a)), split(key(a)), false, true),
        1 / Math.sqrt(width / heads),
      );
      const mixed = tf.matMul(tf.softmax(tf.add(scores, unseen)), split(value(a)));
      const h = tf.add(x, joined(tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [batch, time, width])));
      return tf.add(h, narrow(gelu(wide(second(h)))));
    };
  };
  const [tokens, places] = [weight(kinds, width), weight(time, width)];
  const stack = Array.from({ length: blocks }, block);
  const [last, head] = [norm(), dense(width, kinds)];
  const ids = tf.cast(tf.randomUniform([batch, time], 0, kinds, 'float32', 99), 'int32');
  return {
    variables,
    targets: classes(batch * time, kinds),
    loss: 'softmaxCrossentropy',
    forward: () => {
      let x: tf.Tensor = tf.add(tf.gather(tokens, ids), places);
      for (const each of stack) x = each(x);
      return tf.reshape(head(last(x)), [batch * time, kinds]);
    },
  };
}

type Layer = (x: tf.Tensor) => tf.Tensor;

/** The approximation with tanh. */
function gelu(x: tf.Tensor): tf.Tensor {
  const inner = tf.mul(tf.add(x, tf.mul(tf.mul(tf.square(x), x), 0.044715)), Math.sqrt(2 / Math.PI));
  return tf.mul(tf.mul(x, 0.5), tf.add(tf.tanh(inner), 1));
}
