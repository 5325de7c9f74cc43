import { numbers, regression, someOf, useBackend } from '@hookline/test-support';
import '@tensorflow/tfjs-layers'; // registers the gradients of tfjs
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  clipGradients,
  clipOf,
  createOptimizers,
  createSchedule,
  LrSchedule,
  type Optimizer,
  type OptimizerOption,
  type Parameter,
} from '../src/index.js';

const { xs, ys } = regression(32);

/** A network of raw operations, as a program without a trainer has it. */
function network() {
  const variable = (shape: number[], seed: number) =>
    tf.variable(tf.tensor(numbers(tf.util.sizeFromShape(shape), seed), shape));
  const parameters: Parameter[] = [
    { path: 'hidden/kernel', variable: variable([3, 4], 1) },
    { path: 'hidden/bias', variable: variable([4], 2) },
    { path: 'out/kernel', variable: variable([4, 1], 3) },
    { path: 'out/scale', variable: variable([], 4) },
  ];
  const [kernel, bias, out, scale] = parameters.map(({ variable }) => variable) as [
    tf.Variable,
    tf.Variable,
    tf.Variable,
    tf.Variable,
  ];
  const [inputs, targets] = [tf.tensor2d(xs), tf.tensor2d(ys)];
  const loss = () => {
    const hidden = tf.tanh(tf.add(tf.matMul(inputs, kernel as never), bias));
    const output = tf.mul(tf.matMul(hidden as tf.Tensor2D, out as never), scale);
    return tf.losses.meanSquaredError(targets, output) as tf.Scalar;
  };
  return { parameters, loss };
}

/** One step of a loop of one's own; the loss before it. */
function step({ parameters, loss }: ReturnType<typeof network>, optimizers: readonly Optimizer[]): number {
  return tf.tidy(() => {
    const variables = parameters.map(({ variable }) => variable);
    const { value, grads } = tf.variableGrads(loss, variables);
    const gradients = Object.fromEntries(
      parameters.map(({ path, variable }) => [path, grads[variable.name]!]),
    );
    const clipped = clipGradients(gradients, clipOf({ globalNorm: 5 }));
    for (const optimizer of optimizers) optimizer.apply(clipped);
    return value.dataSync()[0]!;
  });
}

/** An optimizer of tfjs makes tensors at once, so it cannot be made before there is a backend. */
const options: [string, OptimizerOption | (() => tf.Optimizer)][] = [
  ['sgd', { name: 'sgd', lr: 0.1, momentum: 0.9, nesterov: true }],
  ['adam', { name: 'adam', lr: 0.05 }],
  ['adamw', { name: 'adamw', lr: 0.05, groups: [{ params: '**/bias', weightDecay: 0 }] }],
  ['rmsprop', { name: 'rmsprop', lr: 0.01 }],
  ['adagrad', { name: 'adagrad', lr: 0.2 }],
  ['adadelta', { name: 'adadelta', lr: 5 }],
  ['lion', { name: 'lion', lr: 0.01 }],
  ['an optimizer of tfjs', () => tf.train.adam(0.05)],
  [
    'two optimizers',
    [
      { name: 'adam', params: 'hidden/**', lr: 0.05 },
      { name: 'sgd', lr: 0.1 },
    ],
  ],
];

describe.each(['cpu', 'wasm'] as const)('on %s, in a loop without a trainer', (backend) => {
  beforeAll(() => useBackend(backend));

  test.each(someOf(options, 4))('%s learns, and keeps the number of tensors', (_name, option) => {
    const model = network();
    const made = typeof option === 'function' ? option() : option;
    const optimizers = createOptimizers(made, model.parameters);
    const first = step(model, optimizers);
    const before = tf.memory().numTensors;
    let last = first;
    for (let i = 0; i < 60; i++) last = step(model, optimizers);
    expect(last).toBeLessThan(first / 2);
    expect(tf.memory().numTensors).toBe(before);
  });

  test('the same options give the same bits, however many optimizers share the parameters', () => {
    const run = (option: OptimizerOption) => {
      const model = network();
      const optimizers = createOptimizers(option, model.parameters);
      for (let i = 0; i < 10; i++) step(model, optimizers);
      return model.parameters.map(({ variable }) => [...variable.dataSync()]);
    };
    const adam = { name: 'adam', lr: 0.05 } as const;
    expect(run([{ ...adam, params: 'out/**' }, adam])).toEqual(run(adam));
    expect(run({ ...adam, groups: [{ params: 'out/**' }] })).toEqual(run(adam));
  });

  test('a schedule sets the rate of every step, and what was saved continues to the bit', async () => {
    const schedule = () =>
      createSchedule([
        { name: 'warmup', steps: 4 },
        { name: 'cosine', steps: 16 },
      ]);
    const make = () => {
      const model = network();
      const optimizers = createOptimizers({ name: 'adam', lr: 0.05 }, model.parameters);
      return {
        model,
        optimizers,
        rates: new LrSchedule(
          schedule(),
          optimizers.map(({ view }) => view),
        ),
      };
    };
    const run = ({ model, optimizers, rates }: ReturnType<typeof make>, from: number, to: number) => {
      for (let at = from; at < to; at++) {
        rates.apply({ step: at, epoch: 0 });
        step(model, optimizers);
      }
      return model.parameters.map(({ variable }) => [...variable.dataSync()]);
    };
    const whole = make();
    const middle = run(whole, 0, 10);
    const [state, rates] = [await whole.optimizers[0]!.saveState(), whole.rates.saveState()];
    const expected = run(whole, 10, 20);

    const resumed = make();
    for (const [index, { variable }] of resumed.model.parameters.entries()) {
      tf.tidy(() => variable.assign(tf.tensor(middle[index]!, variable.shape)));
    }
    await resumed.optimizers[0]!.loadState(state);
    resumed.rates.loadState(rates);
    expect(run(resumed, 10, 20)).toEqual(expected);
  });

  test('disposing an optimizer returns its tensors, and it starts over', () => {
    const model = network();
    const before = tf.memory().numTensors;
    const [optimizer] = createOptimizers('adam', model.parameters) as [Optimizer];
    step(model, [optimizer]);
    expect(tf.memory().numTensors - before).toBe(8);
    optimizer.dispose!();
    expect(tf.memory().numTensors).toBe(before);
    step(model, [optimizer]);
    expect(tf.memory().numTensors - before).toBe(8);
    optimizer.dispose!();
  });
});

test('training can move to another backend between two steps, with the same bits', async () => {
  const run = async (backends: readonly ('cpu' | 'wasm')[]) => {
    await useBackend('cpu');
    const parameters = [{ path: 'w', variable: tf.variable(tf.tensor1d(numbers(8, 1))) }];
    const [optimizer] = createOptimizers({ name: 'adamw', lr: 0.05 }, parameters) as [Optimizer];
    for (const [index, backend] of backends.entries()) {
      await useBackend(backend);
      optimizer.apply({ w: tf.tensor1d(numbers(8, index + 2)) });
    }
    return [...parameters[0]!.variable.dataSync()];
  };
  expect(await run(['cpu', 'wasm', 'cpu', 'wasm'])).toEqual(await run(['cpu', 'cpu', 'cpu', 'cpu']));
});

test('a gradient that is not finite reaches the weights instead of being hidden', async () => {
  await useBackend('cpu');
  const variable = tf.variable(tf.tensor1d([1, 1]));
  const [optimizer] = createOptimizers('adam', [{ path: 'w', variable }]) as [Optimizer];
  optimizer.apply({ w: tf.tensor1d([Number.NaN, 1]) });
  const [bad, good] = variable.dataSync();
  expect([Number.isNaN(bad), Number.isFinite(good)]).toEqual([true, true]);
});
