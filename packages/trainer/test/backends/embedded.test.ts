import { describe, expect, it } from 'vitest';
import { runIsolated } from './isolated.js';
import { nativeProject, working } from './native-project.js';

const BUILD = `
  import * as tf from '@tensorflow/tfjs-core';
  import * as layers from '@tensorflow/tfjs-layers';
  function build() {
    const model = layers.sequential({
      layers: [
        layers.layers.dense({ units: 8, activation: 'tanh', inputShape: [4], kernelInitializer: 'ones' }),
        layers.layers.dense({ units: 1, kernelInitializer: 'ones' }),
      ],
    });
    return model;
  }
  const predict = (model) => tf.tidy(() => Array.from(model.predict(tf.ones([1, 4])).dataSync()));
`;

describe('importing the trainer', () => {
  it('lets a model be built and used at once, before any await, and prints nothing', async () => {
    const { value, output } = await runIsolated<{
      active: string;
      registered: string[];
      prediction: number[];
    }>(`
      import './src/backends/select-backend.ts';
      ${BUILD}
      const prediction = predict(build());
      report({ active: tf.getBackend(), registered: tf.engine().backendNames(), prediction });
    `);
    expect(value.active).toBe('cpu');
    expect(value.registered).toEqual(['cpu', 'wasm']);
    expect(value.prediction[0]).toBeCloseTo(8 * Math.tanh(4), 4);
    expect(output).toBe('');
  });

  it('leaves alone a backend that was chosen before, even one that is still starting', async () => {
    const { value } = await runIsolated<{ before: string; after: string; prediction: number[] }>(`
      ${BUILD}
      import '@tensorflow/tfjs-backend-wasm';
      const starting = tf.setBackend('wasm');
      const before = tf.getBackend();
      await import('./src/backends/select-backend.ts');
      await starting;
      report({ before, after: tf.getBackend(), prediction: predict(build()) });
    `);
    expect(value).toMatchObject({ before: 'wasm', after: 'wasm' });
    expect(value.prediction[0]).toBeCloseTo(8 * Math.tanh(4), 4);
  });

  it.each(['before', 'after'])('leaves tfjs-node active that was imported %s it', async (when) => {
    await using project = await nativeProject({ '@tensorflow/tfjs-node': working });
    const { value } = await runIsolated<{ active: string; prediction: number[] }>(
      `${BUILD}
       const imports = [
         () => import(args[0] + '/node_modules/@tensorflow/tfjs-node/index.js'),
         () => import('./src/backends/select-backend.ts'),
       ];
       if (args[1] === 'after') imports.reverse();
       for (const start of imports) await start();
       report({ active: tf.getBackend(), prediction: predict(build()) });`,
      project.root,
      when,
    );
    expect(value.active).toBe('tensorflow');
    expect(value.prediction[0]).toBeCloseTo(8 * Math.tanh(4), 4);
  });
});

describe('a model built on cpu', () => {
  it('trains on wasm after the switch: same numbers, no tensor left over, nothing left on cpu', async () => {
    const { value } = await runIsolated<{
      wasm: number[];
      cpu: number[];
      growth: number;
      onWasm: boolean[];
      cpuTensors: number;
    }>(`
      import { selectBackend } from './src/backends/select-backend.ts';
      ${BUILD}
      const root = process.cwd();
      const xs = tf.randomNormal([16, 4], 0, 1, 'float32', 7);
      const ys = tf.sum(xs, 1, true);
      function train(model, steps) {
        const optimizer = tf.train.sgd(0.05);
        for (let i = 0; i < steps; i++) {
          optimizer.minimize(() => tf.mean(tf.squaredDifference(model.apply(xs, { training: true }), ys)));
        }
        optimizer.dispose();
      }
      const weights = (model) => model.getWeights().flatMap((weight) => Array.from(weight.dataSync()));

      const moved = build();
      const reference = build();
      train(reference, 21);
      const cpu = weights(reference);
      reference.dispose();

      await selectBackend({ root, backend: 'wasm' });
      train(moved, 1);
      const before = tf.memory().numTensors;
      train(moved, 20);
      const growth = tf.memory().numTensors - before;
      const { state, registry } = tf.engine();
      const onWasm = moved.getWeights().map((weight) => state.tensorInfo.get(weight.dataId).backend === registry.wasm);
      report({ wasm: weights(moved), cpu, growth, onWasm, cpuTensors: registry.cpu.numDataIds() });
    `);
    expect(value.wasm).toHaveLength(4 * 8 + 8 + 8 + 1);
    for (const [i, weight] of value.wasm.entries()) expect(weight).toBeCloseTo(value.cpu[i]!, 4);
    expect(value.cpu[0]).not.toBeCloseTo(1, 2);
    expect(value).toMatchObject({ growth: 0, onWasm: [true, true, true, true], cpuTensors: 0 });
  });
});

describe('data made on cpu', () => {
  it('keeps its values on wasm where it was cast before, and leaves no tensor behind', async () => {
    const { value } = await runIsolated<{ moved: number[][]; source: number[]; left: number[] }>(`
      import { selectBackend } from './src/backends/select-backend.ts';
      import * as tf from '@tensorflow/tfjs-core';
      const labels = tf.tensor1d([2, 0], 'int32');
      const casts = [
        tf.cast(labels, 'float32'),
        tf.cast(tf.oneHot(labels, 3), 'float32'),
        tf.cast(tf.tensor1d([true, false], 'bool'), 'float32'),
        tf.cast(tf.tensor1d([true, false], 'bool'), 'int32'),
      ];
      await selectBackend({ root: process.cwd(), backend: 'wasm' });
      // An operation reads them there; reading them directly would not move them.
      const moved = casts.map((each) => Array.from(tf.add(each, each).dataSync()));
      const source = Array.from(tf.add(labels, labels).dataSync());
      await tf.setBackend('cpu');
      const before = [tf.memory().numTensors, tf.memory().numDataBuffers];
      tf.tidy(() => void tf.cast(tf.cast(labels, 'float32'), 'float32'));
      const after = [tf.memory().numTensors, tf.memory().numDataBuffers];
      report({ moved, source, left: after.map((count, i) => count - before[i]) });
    `);
    expect(value.moved).toEqual([
      [4, 0],
      [0, 0, 2, 2, 0, 0],
      [2, 0],
      [2, 0],
    ]);
    expect(value.source).toEqual([4, 0]);
    expect(value.left).toEqual([0, 0]);
  });
});

describe('starting wasm', () => {
  it("leaves the program's own handlers for uncaught errors in charge", async () => {
    const { value, exitCode } = await runIsolated<string[]>(`
      import { selectBackend } from './src/backends/select-backend.ts';
      const caught = [];
      process.on('uncaughtException', (error) => caught.push(error.message));
      process.on('unhandledRejection', (error) => caught.push(error.message));
      await selectBackend({ root: process.cwd(), backend: 'wasm' });
      setTimeout(() => { throw new Error('thrown'); });
      setTimeout(() => { Promise.reject(new Error('rejected')); }, 5);
      setTimeout(() => report(caught), 50);
    `);
    expect(value).toEqual(['thrown', 'rejected']);
    expect(exitCode).toBe(0);
  });
});
