// Models that were trained, saved and exported with --format keras, with what they predict, for Keras to load.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { layers, type Sequential, sequential } from '@tensorflow/tfjs-layers';
import { checkpoint } from '../packages/hook-checkpoint/src/index.js';
import { createLogger, exportModel, loadModel, Trainer } from '../packages/trainer/src/index.js';

const MODELS: Record<string, { shape: number[]; build: () => Sequential }> = {
  mlp: {
    shape: [3],
    build: () =>
      sequential({
        layers: [layers.dense({ units: 4, activation: 'relu', inputShape: [3] }), layers.dense({ units: 2 })],
      }),
  },
  cnn: {
    shape: [8, 8, 1],
    build: () =>
      sequential({
        layers: [
          layers.conv2d({
            filters: 3,
            kernelSize: 3,
            activation: 'relu',
            inputShape: [8, 8, 1],
            name: 'conv',
          }),
          layers.batchNormalization(),
          layers.maxPooling2d({ poolSize: 2 }),
          layers.flatten(),
          layers.dense({ units: 2, activation: 'softmax' }),
        ],
      }),
  },
  rnn: {
    shape: [5, 2],
    build: () =>
      sequential({
        layers: [
          layers.bidirectional({
            layer: layers.lstm({
              units: 3,
              returnSequences: true,
              recurrentActivation: 'sigmoid',
              inputShape: [5, 2],
            }) as never,
            mergeMode: 'concat',
            inputShape: [5, 2],
          }),
          layers.gru({ units: 3, recurrentActivation: 'sigmoid' }),
          layers.dense({ units: 2 }),
        ],
      }),
  },
};

const root = mkdtempSync(join(tmpdir(), 'hookline-export-'));
try {
  const cases: Record<string, { file: string; inputs: unknown; outputs: unknown }> = {};
  for (const [name, { shape, build }] of Object.entries(MODELS)) {
    const trainer = new Trainer({
      ...{ model: build, loss: 'meanSquaredError', seed: 1, root, discover: false, backend: 'cpu' },
      hooks: [checkpoint({ async: false })],
      logger: createLogger({ level: 'silent' }),
    });
    await trainer.ready();
    const xs = tf.randomNormal([16, ...shape], 0, 1, 'float32', 7);
    const ys = tf.randomNormal([16, 2], 0, 1, 'float32', 8);
    const { runDir } = await trainer.fit({ train: { xs, ys }, epochs: 3 });
    const folder = join(root, name);
    await exportModel(runDir, folder, { format: 'keras', checkpoint: 'last' });
    const outputs = (await loadModel(runDir, { checkpoint: 'last' })).predict(xs) as tf.Tensor;
    const file = readFileSync(join(folder, 'model.safetensors')).toString('base64');
    cases[name] = { file, inputs: xs.arraySync(), outputs: outputs.arraySync() };
  }
  console.log(JSON.stringify(cases));
} finally {
  rmSync(root, { recursive: true, force: true });
}
