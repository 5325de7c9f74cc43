import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { wasmAccelerator } from '../../src/accelerator/accelerator.js';
import { attention } from '../../src/index.js';
import type { Steps } from '../steps.js';
import { dense, functions, halfSquare, model, penalty, random, scaled, squares } from './step-makers.js';

/** The same computation in every step, on other numbers. */
const STEADY: Readonly<Record<string, () => Steps>> = {
  'dense layers': model(),
  'other data in each step': model({ input: (step) => random([3, 4], step * 7) }),
  'a mask of dropout that is made in each step': model({
    loss: (outputs, step) =>
      squares(tf.mul(outputs, tf.cast(tf.greater(random([3, 2], step), 0), 'float32'))),
  }),
  'a scalar that changes in each step': model({
    loss: (outputs, step) => tf.mul(squares(outputs), 1 / (1 + step)),
  }),
  'a scalar that changes later': model({
    loss: (outputs, step) => tf.mul(squares(outputs), step < 7 ? 1 : 0.5),
  }),
  'a tensor from outside that changes its values': functions([[3]], ([a], step) =>
    tf.mul(a!, random([3], step)),
  ),
  'layer normalisation': model({
    layers: () => [
      dense(6, { activation: 'elu', inputShape: [4] }),
      tfl.layers.layerNormalization(),
      dense(2),
    ],
  }),
  'batch normalisation': model({
    layers: () => [
      dense(6, { activation: 'relu', inputShape: [4] }),
      tfl.layers.batchNormalization(),
      dense(2),
    ],
  }),
  'a penalty for large weights': model({
    loss: (outputs, _step, sequential) =>
      tf.add(squares(outputs), tf.mul(0.1, tf.sum(tf.square(sequential.trainableWeights[0]!.read())))),
  }),
  'a look at the loss inside of the step': model({
    loss: (outputs) => {
      const loss = squares(outputs);
      loss.dataSync();
      return loss;
    },
  }),
  'new weights from outside': model({
    before: (step, sequential) => {
      if (step === 6)
        tf.tidy(() => sequential.setWeights(sequential.getWeights().map((weight) => tf.mul(weight, 0.5))));
    },
  }),
  'predictions between the steps': model({
    before: (_step, sequential) => {
      tf.tidy(() => sequential.predict(tf.ones([2, 4])) as tf.Tensor).dispose();
    },
  }),
  'a variable that is used twice': functions([[3]], ([a]) => tf.mul(a!, tf.tanh(a!))),
  'operands that are repeated along an axis': functions([[3, 1], [4]], ([a, b]) =>
    tf.sub(tf.mul(a!, b!), tf.add(a!, b!)),
  ),
  'products of batches': functions(
    [
      [2, 3, 4],
      [2, 5, 4],
    ],
    ([a, b]) => tf.matMul(a!, b!, false, true),
  ),
  'a variable of which nothing depends': functions([[3], [2]], ([a]) => tf.square(a!)),
  'axes that are moved and split': functions([[2, 6]], ([a]) =>
    tf.mean(tf.transpose(tf.reshape(a!, [2, 3, 2]), [2, 0, 1]), [0, 2]),
  ),
  'rows that are looked up': functions([[5, 2]], ([a], step) =>
    tf.gather(a!, tf.tensor1d([step % 5, 1, (step * 2) % 5], 'int32')),
  ),
  'a gradient that is what was saved': functions([[3]], ([a]) => tf.tanh(halfSquare(tf.neg(a!)))),
  'a fused loss': model({
    loss: (outputs, step) => wasmAccelerator.loss('meanSquaredError', random([3, 2], step), outputs)!,
  }),
};

/** The computation itself changes from one step to the next. */
const CHANGING: Readonly<Record<string, () => Steps>> = {
  'a loss that is its only variable': functions([[]], ([a]) => tf.reshape(a!, [])),
  'a smaller batch in every fifth step': model({
    input: (step) => random([step % 5 === 4 ? 1 : 3, 4], step),
  }),
  'a batch of another size in each step': model({ input: (step) => random([step + 1, 4], step) }),
  'another branch from a step on': model({
    loss: (outputs, step) => squares(step < 7 ? outputs : tf.exp(outputs)),
  }),
  'a hook that edits activations, installed later': model({
    before: (step, sequential) => {
      if (step !== 6) return;
      const [first] = sequential.layers;
      const call = first!.call.bind(first);
      first!.call = (inputs, kwargs) => tf.mul(call(inputs, kwargs) as tf.Tensor, 0.5);
    },
  }),
  'weights that are frozen from a step on': model({
    variables: (all, step) => (step < 6 ? all : all.slice(2)),
  }),
  'variables in another order': functions(
    [[3], [3]],
    ([a, b]) => tf.mul(a!, tf.square(b!)),
    ([a, b], step) => (step % 3 === 2 ? [b!, a!] : [a!, b!]),
  ),
  'two variables that swap places': functions([[3], [3]], ([a, b], step) =>
    step < 6 ? tf.sub(a!, tf.square(b!)) : tf.sub(b!, tf.square(a!)),
  ),
  'the same operations, put together otherwise': functions([[3], [3], [3]], ([a, b, c], step) =>
    step % 2 ? tf.add(tf.mul(a!, b!), c!) : tf.add(tf.mul(a!, c!), b!),
  ),
  'another one of two results': functions([[], []], ([a, b], step) => {
    const [first, second] = [tf.mul(a!, b!), tf.mul(b!, b!)];
    return step < 5 ? first : second;
  }),
  'a gradient that is stopped in every third step': functions([[3]], ([a], step) =>
    tf.mul(tf.square(a!), step % 3 === 2 ? tf.tensor1d(a!.dataSync() as never) : a!),
  ),
  'a variable that is used only later': functions([[3], [3]], ([a, b], step) =>
    step < 6 ? tf.square(a!) : tf.mul(a!, b!),
  ),
  'axes in another order, of the same shape': functions([[2, 2, 2]], ([a], step) =>
    tf.mul(tf.transpose(a!, step % 2 ? [0, 2, 1] : [2, 1, 0]), random([2, 2, 2])),
  ),
  'a factor that is transposed, of the same shape': functions(
    [
      [3, 3],
      [3, 3],
    ],
    ([a, b], step) => tf.matMul(a!, b!, step % 2 === 0, step % 3 === 0),
  ),
  'attributes that somebody changes in their place': () => {
    const perm = [0, 1, 2];
    const steps = functions([[2, 2, 2]], ([a], step) => {
      perm.reverse();
      if (step % 5 === 0) perm.push(perm.shift()!);
      const moved = tf.engine().runKernel(tf.Transpose, { x: a! }, { perm }) as tf.Tensor;
      return tf.mul(moved, random([2, 2, 2]));
    });
    return steps();
  },
  'another activation of the same layer': model({
    before: (step, sequential) => {
      const [first] = sequential.layers as unknown as { activation: unknown }[];
      const other = tfl.layers.dense({ units: 1, activation: step % 2 ? 'sigmoid' : 'tanh' });
      first!.activation = (other as unknown as { activation: unknown }).activation;
    },
  }),
  'another epsilon of a batch normalisation': model({
    layers: () => [dense(6, { inputShape: [4] }), tfl.layers.batchNormalization(), dense(2)],
    before: (step, sequential) => {
      const [, norm] = sequential.layers as unknown as { epsilon: number }[];
      norm!.epsilon = step % 2 ? 0.1 : 0.5;
    },
  }),
  'another fused loss of the same shapes': model({
    layers: () => [dense(2, { activation: 'sigmoid', inputShape: [4] })],
    loss: (outputs, step) =>
      wasmAccelerator.loss(
        step % 2 ? 'meanSquaredError' : 'binaryCrossentropy',
        random([3, 2], step, 0, 1),
        outputs,
      )!,
  }),
  'another number of heads, and a mask, of the same shapes': functions([[2, 3, 4]], ([a], step) =>
    attention(a as tf.Tensor3D, a as tf.Tensor3D, a as tf.Tensor3D, {
      heads: step % 2 ? 1 : 2,
      causal: step % 3 === 0,
    }),
  ),
  'two models in turn': () => {
    const [first, second] = [model()(), model({ layers: () => [dense(2, { inputShape: [4] })] })()];
    const of = (step: number) => (step % 2 ? first : second);
    return {
      variables: (step) => of(step).variables(step),
      loss: (step) => of(step).loss(step),
      dispose: () => {
        first.dispose!();
        second.dispose!();
      },
    };
  },
  'two models of the same shapes in turn': () => {
    const both = [model()(), model()()];
    return {
      variables: (step) => both[step % 2]!.variables(step),
      loss: (step) => both[step % 2]!.loss(step),
      dispose: () => {
        for (const each of both) each.dispose!();
      },
    };
  },
};

/** Gradient functions written by the user, and operations whose gradients are those of tfjs. */
const FOREIGN: Readonly<Record<string, () => Steps>> = {
  'a gradient function with a number that changes': () => {
    let calls = 0;
    const half = scaled(() => (calls++ < 5 ? 1 : 0.5 / calls));
    return model({ loss: (outputs) => squares(half(outputs)) })();
  },
  'a gradient function that comes later': model({
    loss: (outputs, step) => squares(step < 6 ? outputs : scaled(() => 0.5)(outputs)),
  }),
  'a gradient function that is another one in each step': model({
    loss: (outputs, step) => squares(scaled(() => 1 / (step + 1))(outputs)),
  }),
  'a gradient function of tensors that it has by itself': () => {
    const factors = [1, 2, 3].map((i) => random([3, 2], i));
    const steps = model({
      loss: (outputs, step) => {
        const hook = tf.customGrad((x) => ({
          value: tf.clone(x as tf.Tensor),
          gradFunc: (dy) => tf.mul(dy, factors[step % 3]!) as never,
        }));
        return squares(hook(outputs));
      },
    })();
    const dispose = () => {
      steps.dispose!();
      tf.dispose(factors);
    };
    return { ...steps, dispose };
  },
  'a gradient function for its very argument': model({
    loss: (outputs, step) => {
      const same = tf.customGrad((x) => ({
        value: x as tf.Tensor,
        gradFunc: (dy) => tf.mul(dy, step) as never,
      }));
      return squares(same(outputs));
    },
  }),
  'a gradient function of the loss': model({
    loss: (outputs, step) => scaled(() => step)(squares(outputs)) as tf.Scalar,
  }),
  'operations whose gradients are those of tfjs': functions([[4]], ([a], step) =>
    tf.pow(tf.cos(tf.div(a!, 2 + step)), 3),
  ),
  convolutions: model({
    layers: () => [
      tfl.layers.reshape({ targetShape: [4, 2, 1], inputShape: [8] }),
      tfl.layers.conv2d({
        filters: 3,
        kernelSize: 2,
        activation: 'relu',
        kernelInitializer: tfl.initializers.glorotUniform({ seed: 3 }),
      }),
      tfl.layers.maxPooling2d({ poolSize: [2, 1] }),
      tfl.layers.flatten(),
      dense(2),
    ],
    input: (step) => random([3, 8], step),
  }),
  'recurrent layers': model({
    layers: () => [
      tfl.layers.gru({
        units: 3,
        inputShape: [4, 2],
        kernelInitializer: tfl.initializers.glorotUniform({ seed: 5 }),
        recurrentInitializer: tfl.initializers.glorotUniform({ seed: 6 }),
      }),
      dense(2),
    ],
    input: (step) => random([3, 4, 2], step),
  }),
};

/** A gradient of a gradient. */
const NESTED: Readonly<Record<string, () => Steps>> = {
  'a gradient inside of the step': model({
    loss: (outputs, _step, sequential) => tf.add(squares(outputs), penalty(sequential)),
  }),
  'a gradient inside of the step from some step on': model({
    loss: (outputs, step, sequential) =>
      step < 6 ? squares(outputs) : tf.add(squares(outputs), penalty(sequential)),
  }),
};

export const STEPS: Readonly<Record<string, () => Steps>> = { ...STEADY, ...CHANGING, ...FOREIGN, ...NESTED };
