// What Node and a page train with the trainer, hooks on: the models whose every bit has to be the same.
import { activations } from '@hookline/hook-activations';
import type { HookLogger, TrainableModule } from '@hookline/hook-api';
import { checkpoint } from '@hookline/hook-checkpoint';
import { debug } from '@hookline/hook-debug';
import { earlyStopping } from '@hookline/hook-early-stopping';
import { gradientMonitor } from '@hookline/hook-gradient-monitor';
import { consoleLog, jsonLog } from '@hookline/hook-logging';
import { lrMonitor } from '@hookline/hook-lr-monitor';
import { progress } from '@hookline/hook-progress';
import { report } from '@hookline/hook-report';
import { type HookItem, type Model, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';

export const NAMES = ['MLP', 'CNN', 'LSTM', 'custom'] as const;

export type Name = (typeof NAMES)[number];

export interface Outcome {
  losses: number[];
  /** Their bits, as hexadecimal digits of a sum over all weights. */
  weights: string;
  status: string;
  steps: number;
}

const SHAPES: Readonly<Record<Name, number[]>> = { MLP: [8], CNN: [8, 8, 1], LSTM: [6, 4], custom: [8] };

const MODELS: Readonly<Record<Name, () => Model>> = {
  MLP: () =>
    sequential({
      layers: [
        layers.dense({ units: 12, activation: 'relu', inputShape: SHAPES.MLP }),
        layers.dropout({ rate: 0.1 }),
        layers.dense({ units: 3, activation: 'softmax' }),
      ],
    }),
  CNN: () =>
    sequential({
      layers: [
        layers.conv2d({ filters: 4, kernelSize: 3, activation: 'relu', inputShape: SHAPES.CNN }),
        layers.batchNormalization(),
        layers.maxPooling2d({ poolSize: 2 }),
        layers.flatten(),
        layers.dense({ units: 3, activation: 'softmax' }),
      ],
    }),
  LSTM: () =>
    sequential({
      layers: [
        layers.lstm({ units: 6, inputShape: SHAPES.LSTM, recurrentInitializer: 'glorotUniform' }),
        layers.dense({ units: 3, activation: 'softmax' }),
      ],
    }),
  custom: customModule,
};

function customModule(): TrainableModule<{ xs: tf.Tensor; ys: tf.Tensor }, tf.Tensor> {
  const kernel = tf.variable(tf.randomUniform([8, 3], -0.5, 0.5));
  const bias = tf.variable(tf.zeros([3]));
  return {
    parameters: () => ({ kernel, bias }),
    forward: (xs, { tap }) =>
      tf.softmax(tap('logits', tf.add(tf.matMul(xs as tf.Tensor2D, kernel as tf.Tensor2D), bias))),
  };
}

export interface Settings {
  readonly runsDir: string | false;
  readonly logger: HookLogger;
  readonly epochs?: number;
  readonly resume?: 'auto';
  /** Milliseconds that each batch takes longer, so that there is time to end the page. */
  readonly slow?: number;
  readonly backend?: string;
}

/** Four epochs of twelve batches, with every hook that makes sense in a page. */
export async function train(name: Name, settings: Settings): Promise<Outcome> {
  const { runsDir, logger, epochs = 4, resume, slow = 0, backend } = settings;
  const hooks: HookItem[] = [
    {
      name: 'slow',
      onTrainBatchEnd: async () => {
        if (slow > 0) await new Promise((resolve) => setTimeout(resolve, slow));
      },
    },
    ...[earlyStopping({ patience: 50 }), gradientMonitor(), lrMonitor(), debug(), activations()],
    ...[
      checkpoint({ every: { steps: 5 }, saveTopK: 2 }),
      progress({ stream: { write: () => {} } }),
      jsonLog({ every: 1 }),
    ],
    ...[consoleLog({ write: () => {} }), report({ print: false })],
  ];
  const data = dataFor(name);
  const trainer = new Trainer({
    ...{
      model: MODELS[name],
      loss: 'categoricalCrossentropy',
      metrics: ['accuracy'],
      hooks,
      runsDir,
      logger,
    },
    ...{ seed: 3, discover: false, optimizer: { name: 'adam', lr: 0.01 } },
    backend: backend ?? { name: 'wasm', fma: false },
  });
  const result = await trainer.fit({
    ...{ train: data, validation: data, epochs, batchSize: 8, ...(resume && { resume }) },
  });
  const model = await trainer.model();
  const weights =
    'getWeights' in model ? model.getWeights() : Object.values((model as TrainableModule).parameters!());
  // Asynchronously: a graphics device has no other way.
  const values = await Promise.all(weights.map((weight) => weight.data<'float32'>()));
  const bits = values.flatMap((each) => [...new Uint32Array(each.slice().buffer)]);
  await trainer.dispose();
  // It is ours. Of a module the variables are all there is.
  if ('getWeights' in model) model.dispose();
  else tf.dispose(weights);
  return {
    losses: result.history.map((epoch) => epoch['train/loss']!),
    weights: bits.reduce((sum, word) => (Math.imul(sum, 31) + word) >>> 0, 7).toString(16),
    status: result.status,
    steps: result.steps,
  };
}

function dataFor(name: Name): { xs: number[][]; ys: number[][] } {
  const size = tf.util.sizeFromShape(SHAPES[name]);
  let state = 5;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 12) / 2 ** 20;
  };
  const kinds = Array.from({ length: 96 }, (_, i) => i % 3);
  const rows = kinds.map((kind) =>
    Array.from({ length: size }, (_, i) => random() + (i % 3 === kind ? 0.5 : 0)),
  );
  return {
    xs: tf.tidy(() => tf.reshape(tf.tensor(rows), [96, ...SHAPES[name]]).arraySync()) as number[][],
    ys: kinds.map((kind) => [0, 1, 2].map((each) => Number(each === kind))),
  };
}
