import { type Hook, type TrainableModule, when } from '@hookline/hook-api';
import { regression, someOf, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { runIsolated } from '../backends/isolated.js';
import { quietTrainer } from '../support/quiet-trainer.js';

type Size = readonly number[];

/** What the layer `noise` makes of the same ones, in each of 4 training steps and in the validations between them. */
async function outputsOf(model: () => tfl.LayersModel, size: Size, seed: number) {
  const outputs: { training: string[]; validation: string[] } = { training: [], validation: [] };
  const watch: Hook = {
    name: 'watch',
    layers: 'noise',
    onForward: (_ctx, { output, training }) => {
      outputs[training ? 'training' : 'validation'].push(output.dataSync().join());
    },
  };
  const still = { name: 'sgd', lr: 1e-30 } as const;
  const trainer = quietTrainer({ model, seed, hooks: [watch], optimizer: still });
  const data = { xs: tf.ones([4, ...size]), ys: tf.ones([4, 1]) };
  await trainer.fit({ train: data, validation: data, epochs: 4, batchSize: 4 });
  return outputs;
}

const noise = { name: 'noise' };
const drop = { rate: 0.5, seed: 3 };
const cell = { units: 8, dropout: 0.5, recurrentDropout: 0.5 };

const layers: [string, Size, () => tfl.layers.Layer][] = [
  ['dropout', [16], () => tfl.layers.dropout({ ...noise, rate: 0.5 })],
  ['dropout with a seed', [16], () => tfl.layers.dropout({ ...noise, ...drop })],
  ['dropout with seed 0', [16], () => tfl.layers.dropout({ ...noise, ...drop, seed: 0 })],
  ['spatial dropout with a seed', [4, 8], () => tfl.layers.spatialDropout1d({ ...noise, ...drop })],
  ['gaussian noise', [16], () => tfl.layers.gaussianNoise({ ...noise, stddev: 1 })],
  ['gaussian dropout', [16], () => tfl.layers.gaussianDropout({ ...noise, rate: 0.5 })],
  ['alpha dropout', [16], () => tfl.layers.alphaDropout({ ...noise, rate: 0.5 })],
  [
    'dropout in a wrapper',
    [4, 8],
    () => tfl.layers.timeDistributed({ ...noise, layer: tfl.layers.dropout(drop) }),
  ],
  ['an LSTM that drops', [4, 8], () => tfl.layers.lstm({ ...noise, ...cell })],
  [
    'a GRU that drops its states',
    [4, 8],
    () => tfl.layers.gru({ ...noise, units: 8, recurrentDropout: 0.5 }),
  ],
  [
    'an RNN of a cell',
    [4, 8],
    () => tfl.layers.rnn({ ...noise, cell: tfl.layers.simpleRNNCell(cell) as never }),
  ],
  [
    'an RNN of stacked cells',
    [4, 8],
    () => {
      const cells = [tfl.layers.lstmCell(cell), tfl.layers.gruCell(cell)] as never[];
      return tfl.layers.rnn({ ...noise, cell: tfl.layers.stackedRNNCells({ cells }) as never });
    },
  ],
];

describe('a new draw in each step, the same in each run with the same seed, and none in validation', () => {
  test.each(someOf(layers, 5))('%s', async (_name, size, make) => {
    const model = () => {
      const input = tfl.input({ shape: [...size] });
      const made = make().apply(input) as tfl.SymbolicTensor;
      const flat = made.rank > 2 ? tfl.layers.flatten().apply(made) : made;
      return tfl.model({
        inputs: input,
        outputs: tfl.layers.dense({ units: 1 }).apply(flat) as tfl.SymbolicTensor,
      });
    };
    const first = await outputsOf(model, size, 7);
    expect(new Set(first.training).size).toBe(4);
    expect(new Set(first.validation).size).toBe(1);
    expect(await outputsOf(model, size, 7)).toEqual(first);
    expect((await outputsOf(model, size, 8)).training).not.toEqual(first.training);
  });
});

test('a dropout layer with a seed that is used twice in a pass drops different units', async () => {
  const model = () => {
    const input = tfl.input({ shape: [16] });
    const layer = tfl.layers.dropout({ ...noise, ...drop });
    const both = [layer.apply(input), layer.apply(input)] as tfl.SymbolicTensor[];
    const sum = tfl.layers.add().apply(both);
    return tfl.model({
      inputs: input,
      outputs: tfl.layers.dense({ units: 1 }).apply(sum) as tfl.SymbolicTensor,
    });
  };
  const { training } = await outputsOf(model, [16], 1);
  expect(new Set(training).size).toBe(8);
});

test('the seed of a layer stays what it was, for whoever saves the model', async () => {
  const layer = tfl.layers.dropout({ ...drop, inputShape: [3] });
  const model = tfl.sequential({ layers: [layer, tfl.layers.dense({ units: 1 })] });
  const before = JSON.stringify(model.toJSON());
  await quietTrainer({ model }).fit({ train: regression(8), epochs: 1 });
  expect(JSON.stringify(model.toJSON())).toBe(before);
  expect(layer.getConfig().seed).toBe(3);
});

test('an RNN of a cell that drops takes batches of any size, and leaves no mask behind', async () => {
  const rnn = tfl.layers.rnn({ cell: tfl.layers.lstmCell(cell) as never, inputShape: [4, 2] });
  const model = tfl.sequential({ layers: [rnn, tfl.layers.dense({ units: 1 })] });
  const trainer = quietTrainer({ model });
  const fit = () =>
    trainer.fit({ train: { xs: tf.ones([5, 4, 2]), ys: tf.ones([5, 1]) }, epochs: 1, batchSize: 3 });
  await fit();
  const xs = tf.ones([2, 4, 2]);
  (model.predict(xs) as tf.Tensor).dispose(); // elsewhere it is as it always was
  const before = tf.memory().numTensors;
  await fit();
  expect(tf.memory().numTensors).toBeLessThanOrEqual(before + 2); // the data of that fit
});

/** Draws with and without a seed of its own, in its forward pass and in its loss. */
function drawingModule(seed?: number): { module: TrainableModule; drawn: string[] } {
  const kernel = tf.variable(tf.ones([3, 1]));
  const drawn: string[] = [];
  const draw = (shape: number[]) => {
    const values = tf.randomNormal(shape, 0, 1, 'float32', seed);
    drawn.push(values.dataSync().join());
    return values;
  };
  const module: TrainableModule = {
    parameters: () => ({ kernel }),
    forward: (xs) => tf.add(tf.matMul(xs as tf.Tensor2D, kernel as tf.Tensor2D), draw([4, 1])),
    loss: (outputs, { ys }) =>
      tf.mean(tf.square(tf.sub(tf.add(outputs as tf.Tensor, draw([4, 1])), ys as tf.Tensor))),
  };
  return { module, drawn };
}

async function drawnBy(make: () => ReturnType<typeof drawingModule>, seed: number): Promise<string[]> {
  const { module, drawn } = make();
  await quietTrainer({ model: module, seed }).fit({ train: regression(8), epochs: 2, batchSize: 4 });
  return drawn;
}

test('a module that draws follows the seed of the run', async () => {
  const drawn = await drawnBy(drawingModule, 5);
  expect(new Set(drawn).size).toBe(8);
  expect(await drawnBy(drawingModule, 5)).toEqual(drawn);
  expect(await drawnBy(drawingModule, 6)).not.toEqual(drawn);
});

test('a seed that a module gives an op itself is taken as it is', async () => {
  const drawn = await drawnBy(() => drawingModule(9), 5);
  expect(new Set(drawn).size).toBe(1);
});

test('a metric that draws follows the seed, too', async () => {
  const sampled = (targets: tf.Tensor, outputs: tf.Tensor) =>
    tf.mul(tf.abs(tf.sub(targets, outputs)), tf.randomUniform(targets.shape));
  const run = async () => {
    const { module } = drawingModule();
    const trainer = quietTrainer({ model: module, metrics: [sampled] });
    return (await trainer.fit({ train: regression(8), epochs: 2, batchSize: 4 })).history;
  };
  expect(await run()).toEqual(await run());
});

test('a factory that waits is initialised by the seed, and nobody else draws from it', async () => {
  const original = Math.random;
  const elsewhere: number[] = [];
  const factory = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    const hidden = tfl.layers.dense({ units: 4, inputShape: [3] });
    await Promise.resolve();
    return tfl.sequential({ layers: [hidden, tfl.layers.dense({ units: 1 })] });
  };
  const build = async () => {
    const timer = setInterval(() => elsewhere.push(Math.random()), 1);
    const model = (await quietTrainer({ model: factory, seed: 4 }).model()) as tfl.Sequential;
    clearInterval(timer);
    return weightsOf(model);
  };
  const first = await build();
  expect(await build()).toEqual(first);
  expect(elsewhere.length).toBeGreaterThan(1);
  expect(new Set(elsewhere).size).toBe(elsewhere.length);
  expect(Math.random).toBe(original);
});

test('a filter of a tap that draws does not disturb the run', async () => {
  const train = async (hooks: Hook[]) => {
    const model = () =>
      tfl.sequential({
        layers: [tfl.layers.dropout({ rate: 0.5, inputShape: [3] }), tfl.layers.dense({ units: 1 })],
      });
    const trainer = quietTrainer({ model, hooks });
    await trainer.fit({ train: regression(12), epochs: 2, batchSize: 4 });
    return weightsOf((await trainer.model()) as tfl.Sequential);
  };
  const now = () => Math.random() < 0.5;
  const tap: Hook = { name: 'tap', onForward: when(now, () => {}), onBeforeBackward: when(now, () => {}) };
  expect(await train([tap])).toEqual(await train([]));
});

test('once a model is built, Node does not follow the promises of the process any more', async () => {
  const { value } = await runIsolated<number[]>(`
    import { triggerAsyncId } from 'node:async_hooks';
    import { sequential, layers } from '@tensorflow/tfjs-layers';
    import { Trainer } from './src/index.ts';
    // Promises have a number only while somebody follows them.
    const follows = () => Promise.resolve().then(() => triggerAsyncId());
    const seen = [];
    const model = async () => {
      seen.push(await follows());
      return sequential({ layers: [layers.dense({ units: 1, inputShape: [1] })] });
    };
    await new Trainer({ model, loss: 'meanSquaredError', backend: 'cpu', discover: false, runsDir: false }).ready();
    report([...seen, await follows()]);
  `);
  expect(value[0]).toBeGreaterThan(0);
  expect(value[1]).toBe(0);
});
