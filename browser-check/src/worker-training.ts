// What the page of the worker check trains, in a worker; in Node the same without one.
import './wasm-paths.js';
import '@hookline/vite-plugin/hooks';
import { checkpoint } from '@hookline/hook-checkpoint';
import { Trainer } from '@hookline/trainer';
import { defineTraining } from '@hookline/worker/training';
import { type LayersModel, layers, sequential } from '@tensorflow/tfjs-layers';

export interface WorkerSettings {
  steps: number;
  dieAtStep?: number;
  how?: 'throw' | 'close';
  /** Saves every 10 steps to a folder of this name, and continues what is there. */
  saveIn?: string;
}

export default defineTraining(({ steps, dieAtStep, how, saveIn }: WorkerSettings) => {
  const xs = Array.from({ length: 320 }, (_, i) =>
    Array.from({ length: 64 }, (_, j) => Math.sin(i * (j + 1))),
  );
  const trainer = new Trainer({
    model: () =>
      sequential({
        layers: [
          layers.dense({ units: 128, activation: 'relu', inputShape: [64] }),
          layers.dropout({ rate: 0.1 }),
          layers.dense({ units: 10, activation: 'softmax' }),
        ],
      }),
    loss: 'sparseCategoricalCrossentropy',
    metrics: ['accuracy'],
    optimizer: { name: 'adam', lr: 0.003 },
    hooks: [
      {
        name: 'weights',
        onTrainEnd(ctx) {
          const weights = (ctx.state.model as LayersModel).getWeights();
          const values = weights.flatMap((each) => [...each.dataSync()]).filter((_, i) => i % 37 === 0);
          ctx.log(Object.fromEntries(values.map((value, i) => [`weight/${i}`, value])));
        },
      },
      {
        name: 'mishap',
        onStepEnd(_ctx, { step }) {
          if (step !== dieAtStep) return;
          if (how === 'close') self.close();
          if (how === 'throw') setTimeout(() => fail());
        },
      },
      saveIn !== undefined && checkpoint({ every: { steps: 10 } }),
    ],
    ...{ backend: { name: 'wasm', fma: false }, seed: 5, runsDir: saveIn ?? false },
  });
  const ys = xs.map((_, i) => i % 10);
  return {
    trainer,
    fit: {
      train: { xs, ys },
      epochs: 1e6,
      maxSteps: steps,
      batchSize: 32,
      ...(saveIn !== undefined && { resume: 'auto' }),
    },
  };
});

function fail(): never {
  throw new Error('nobody caught this');
}
