// What the tests train in a worker; their settings say how it goes wrong.
import { checkpoint } from '@hookline/hook-checkpoint';
import { collectingLogger } from '@hookline/test-support/collecting-logger';
import { Trainer } from '@hookline/trainer';
import { defineTraining } from '@hookline/worker/training';
import { type LayersModel, layers, sequential } from '@tensorflow/tfjs-layers';
import type { Settings } from './settings.js';

export default defineTraining((settings: Settings) => {
  const { epochs, dieAtStep = -1, how, runsDir, brokenTraining, onBothSides } = settings;
  if (brokenTraining) return undefined as never;
  const xs = Array.from({ length: 64 }, (_, i) => [Math.sin(i), Math.cos(3 * i)]);
  const trainer = new Trainer({
    model: () =>
      sequential({
        layers: [
          layers.dense({ units: 4, activation: 'tanh', inputShape: [2] }),
          layers.dropout({ rate: 0.1 }),
          layers.dense({ units: 1 }),
        ],
      }),
    loss: 'meanSquaredError',
    optimizer: { name: 'adam', lr: 0.01 },
    hooks: [
      {
        name: 'weights',
        onTrainEnd(ctx) {
          const values = (ctx.state.model as LayersModel)
            .getWeights()
            .flatMap((each) => [...each.dataSync()]);
          ctx.log(Object.fromEntries(values.map((value, i) => [`weight/${i}`, value])));
        },
      },
      {
        name: 'mishap',
        onStepEnd(_ctx, { step }) {
          if (step !== dieAtStep) return;
          if (how === 'exit') process.exit(3);
          if (how === 'throw') setImmediate(() => throwError());
          if (how === 'memory') for (const hoard: unknown[] = []; ; ) hoard.push(new Array(1e6).fill(hoard));
        },
      },
      onBothSides !== undefined && { name: onBothSides, onEpochEnd() {} },
      runsDir !== undefined && checkpoint({ every: { steps: 5 }, async: false }),
    ],
    ...{ backend: 'cpu', seed: 5, discover: false, runsDir: runsDir ?? false, logger: collectingLogger() },
  });
  return {
    trainer,
    fit: {
      train: { xs, ys: xs.map(([a, b]) => [a! * 0.5 - b!]) },
      epochs,
      batchSize: 16,
      ...(runsDir !== undefined && { resume: 'auto' }),
    },
  };
});

function throwError(): never {
  throw new Error('nobody caught this');
}
