import * as tf from '@tensorflow/tfjs-core';
import {
  input,
  type LayersModel,
  layers,
  model,
  type SymbolicTensor,
  sequential,
} from '@tensorflow/tfjs-layers';
import { describe, expect, it } from 'vitest';
import { type Layer, layerPaths, tap } from '../src/index.js';
import { Attention, zoo } from './models.js';

const X = tf.randomNormal([2, 5, 6], 0, 1, 'float32', 11);
const recurrentInitializer = 'glorotNormal';

const numbers = (tensor: unknown): number[] => Array.from((tensor as tf.Tensor).dataSync());

/** Inputs and first output of every call of every layer, by path. */
function record(someModel: LayersModel, x: tf.Tensor | tf.Tensor[], filter = '**') {
  const calls: Record<string, { inputs: tf.Tensor[]; output: tf.Tensor }[]> = {};
  const all = tap(someModel, filter, ({ path, inputs, output }) => {
    calls[path] ??= [];
    calls[path].push({
      inputs: inputs.map((each) => tf.keep(each.clone())),
      output: tf.keep(output.clone()),
    });
  });
  someModel.predict(x);
  all.remove();
  return calls;
}

function expectClose(actual: unknown, expected: unknown): void {
  const [a, b] = [numbers(actual), numbers(expected)];
  expect(a.length).toBe(b.length);
  a.forEach((value, i) => {
    expect(Math.abs(value - b[i]!)).toBeLessThan(1e-6);
  });
}

/** The same class with the same weights, called by nobody else. */
function twin(layer: Layer, change: object = {}): Layer {
  const Class = layer.constructor as unknown as { fromConfig(c: object, config: object): Layer };
  return Class.fromConfig(Class, { ...layer.getConfig(), name: undefined, ...change });
}

/** Runs a twin of the layer, with the layer's weights, on its own. */
function recompute(layer: Layer, x: tf.Tensor, change: object = {}): tf.Tensor {
  const alone = twin(layer, change);
  alone.apply(input({ shape: x.shape.slice(1) }));
  alone.setWeights(layer.getWeights());
  return alone.apply(x) as tf.Tensor;
}

const step = (t: number, x: tf.Tensor = X): tf.Tensor =>
  tf.reshape(tf.slice(x, [0, t, 0], [2, 1, -1]), [2, -1]);

describe('a tap sees what a separate computation gives', () => {
  it('for every layer at the top of a model, of whatever kind: the sub-model that ends there', () => {
    const someModel = zoo();
    const calls = record(someModel, X);
    for (const layer of someModel.layers.slice(1)) {
      const [path] = [...layerPaths(someModel)].find(([, each]) => each === layer)!;
      const uses = layer.inboundNodes.length;
      // A nested model has a node of its own definition before that of its use.
      const nodes = Array.from({ length: uses }, (_, i) => layer.getOutputAt(i) as SymbolicTensor);
      const used = path === 'encoder' ? nodes.slice(1) : nodes;
      expect(calls[path]).toHaveLength(used.length);
      used.forEach((output, i) => {
        const sub = model({ inputs: someModel.inputs, outputs: output });
        expect(numbers(calls[path]![i]!.output)).toEqual(numbers(sub.predict(X)));
      });
    }
  });

  it('for convolution, pooling, normalization, dropout, embedding and merge layers', () => {
    const [image, token] = [input({ shape: [6, 6, 2] }), input({ shape: [4], dtype: 'int32' })];
    const apply = (h: unknown, ...list: Layer[]) =>
      list.reduce((x, each) => each.apply(x as never), h) as never;
    const seen = apply(
      image,
      layers.conv2d({ filters: 3, kernelSize: 3, activation: 'relu' }),
      layers.maxPooling2d({ poolSize: 2 }),
      layers.batchNormalization(),
      layers.flatten(),
      layers.dropout({ rate: 0.5 }),
    );
    const read = apply(
      token,
      layers.embedding({ inputDim: 7, outputDim: 3 }),
      layers.globalAveragePooling1d({}),
    );
    const merged = apply(
      [seen, read],
      layers.concatenate(),
      layers.layerNormalization(),
      layers.dense({ units: 2 }),
    );
    const someModel = model({ inputs: [image, token], outputs: merged });
    const xs = [
      tf.randomNormal([2, 6, 6, 2], 0, 1, 'float32', 3),
      tf.tensor2d(
        [
          [1, 2, 3, 4],
          [0, 6, 5, 1],
        ],
        [2, 4],
        'int32',
      ),
    ];
    const calls = record(someModel, xs);
    const paths = layerPaths(someModel);
    expect(Object.keys(calls).sort()).toEqual([...paths.keys()].sort());
    for (const [path, layer] of paths) {
      const sub = model({ inputs: someModel.inputs, outputs: layer.output as SymbolicTensor });
      expect(numbers(calls[path]![0]!.output)).toEqual(numbers(sub.predict(xs)));
    }
  });

  it('for the layers of nested models, in a model in a model', () => {
    const inner = sequential({
      name: 'inner',
      layers: [layers.dense({ units: 3, inputShape: [4], activation: 'tanh' }), layers.dense({ units: 2 })],
    });
    const middleIn = input({ shape: [3] });
    const widened = layers.dense({ units: 4 }).apply(middleIn);
    const middle = model({ inputs: middleIn, outputs: inner.apply(widened) as never, name: 'middle' });
    const outerIn = input({ shape: [3] });
    const someModel = model({ inputs: outerIn, outputs: middle.apply(outerIn) as never });
    const x = tf.randomNormal([2, 3], 0, 1, 'float32', 5);
    const calls = record(someModel, x);
    const wide = middle.layers[1]!.apply(x) as tf.Tensor;
    const first = inner.layers[0]!.apply(wide) as tf.Tensor;
    const second = inner.layers[1]!.apply(first);
    expectClose(calls['middle/dense_1']![0]!.output, wide);
    expectClose(calls['middle/inner/dense_1']![0]!.output, first);
    for (const path of ['middle/inner/dense_2', 'middle/inner', 'middle'])
      expectClose(calls[path]![0]!.output, second);
  });

  it('for each use of a shared layer', () => {
    const [a, b] = [input({ shape: [3] }), input({ shape: [3] })];
    const shared = layers.dense({ units: 2, name: 'shared' });
    const someModel = model({
      inputs: [a, b],
      outputs: layers.add().apply([shared.apply(a), shared.apply(b)] as never) as never,
    });
    const xs = [tf.tensor2d([[1, 2, 3]]), tf.tensor2d([[4, 5, 6]])];
    const { shared: uses } = record(someModel, xs, 'shared');
    // tfjs decides which branch runs first: the index counts calls, not branches.
    const inOrder = uses!.sort((one, other) => numbers(one.inputs[0])[0]! - numbers(other.inputs[0])[0]!);
    expect(inOrder.map(({ inputs }) => numbers(inputs[0]))).toEqual(xs.map(numbers));
    inOrder.forEach(({ output }, i) => {
      expectClose(output, recompute(shared, xs[i]!));
    });
  });

  it('for the steps of a TimeDistributed layer', () => {
    const someModel = zoo();
    const { 'td/layer': steps } = record(someModel, X, 'td/layer');
    const dense = layerPaths(someModel).get('td/layer')!;
    expect(steps).toHaveLength(5);
    steps!.forEach(({ inputs, output }, t) => {
      expectClose(inputs[0], step(t));
      expectClose(output, recompute(dense, step(t)));
    });
  });

  it('for both directions of a Bidirectional layer, and the cells in them', () => {
    const x = input({ shape: [5, 6] });
    const bidi = layers.bidirectional({
      layer: layers.lstm({ units: 3, returnSequences: true, recurrentInitializer }) as layers.RNN,
      mergeMode: 'concat',
      name: 'bidi',
    });
    const someModel = model({ inputs: x, outputs: bidi.apply(x) as never });
    const calls = record(someModel, X);
    const paths = layerPaths(someModel);
    for (const [path, reversed] of [
      ['bidi/forward', false],
      ['bidi/backward', true],
    ] as const) {
      const layer = paths.get(path)!;
      // A layer that runs forward, on the sequence turned around.
      const read = reversed ? tf.reverse(X, 1) : X;
      const alone = recompute(layer, read, { goBackwards: false });
      expectClose(calls[path]![0]!.output, alone);
      expect(calls[`${path}/cell`]).toHaveLength(5);
      calls[`${path}/cell`]!.forEach(({ output }, t) => {
        expectClose(output, step(t, alone));
      });
    }
    const turned = tf.reverse(calls['bidi/backward']![0]!.output, 1);
    expectClose(calls.bidi![0]!.output, tf.concat([calls['bidi/forward']![0]!.output, turned], 2));
  });

  it('for RNN cells, also stacked', () => {
    const cells = [
      layers.gruCell({ units: 4, recurrentInitializer }),
      layers.lstmCell({ units: 3, recurrentInitializer }),
      layers.simpleRNNCell({ units: 2, recurrentInitializer }),
    ];
    const x = input({ shape: [5, 6] });
    const stack = layers.rnn({ cell: cells, name: 'stack' });
    const someModel = model({ inputs: x, outputs: stack.apply(x) as never });
    const calls = record(someModel, X);
    // The first n cells in an RNN of their own give the whole sequence of the n-th.
    cells.forEach((_, n) => {
      const first = cells.slice(0, n + 1);
      const alone = layers.rnn({ cell: first.map((cell) => twin(cell)) as never, returnSequences: true });
      alone.apply(input({ shape: [5, 6] }));
      alone.setWeights(first.flatMap((cell) => cell.getWeights()));
      const sequence = alone.apply(X) as tf.Tensor;
      const steps = calls[`stack/cell/cell_${n + 1}`]!;
      expect(steps).toHaveLength(5);
      steps.forEach(({ output }, t) => {
        expectClose(output, step(t, sequence));
      });
    });
    expectClose(calls.stack![0]!.output, calls['stack/cell/cell_3']![4]!.output);
  });

  it('for the parts of a custom layer', () => {
    const x = input({ shape: [3] });
    const attention = new Attention({ name: 'attention' });
    const someModel = model({ inputs: x, outputs: attention.apply(x) as never });
    const value = tf.tensor2d([[1, -2, 3]]);
    const calls = record(someModel, value);
    const [query, key] = [recompute(attention.query, value), recompute(attention.key, value)];
    expectClose(calls['attention/query']![0]!.output, query);
    expectClose(calls['attention/key']![0]!.output, key);
    expectClose(calls.attention![0]!.output, tf.mul(query, key));
  });
});
