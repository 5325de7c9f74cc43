import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createLogger, Trainer, type TrainerOptions } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';

/** Set in the processes that train: which model, and how. */
const SIDE = 'HOOKLINE_ACCELERATE_SIDE';

/** How a side trains. */
type Way = Pick<TrainerOptions, 'backend' | 'strategy'>;

/** The milliseconds of a fit in a new process. The benchmark that asks must let `beSide` take over in it. */
export async function fitAlone(model: ModelName, way: Way): Promise<number> {
  const [file, benchmark] = process.argv.slice(1) as [string, string];
  const env = { ...process.env, [SIDE]: JSON.stringify({ model, way }) };
  const child = fork(file, [benchmark, 'full'], { env });
  const answer = once(child, 'message');
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${model} with ${JSON.stringify(way)} ended with ${code} and no time`);
  });
  const [milliseconds] = (await Promise.race([answer, ended])) as [number];
  ended.catch(() => {});
  return milliseconds;
}

/** Whether this process is one that trains. */
export function isSide(): boolean {
  return process.env[SIDE] !== undefined;
}

/** In a process that trains: tells how long the epochs after the first take, then ends. */
export async function beSide(): Promise<never> {
  const { model, way } = JSON.parse(process.env[SIDE]!) as { model: ModelName; way: Way };
  const { createModel, rows, batchSize, shape } = MODELS[model];
  let begun = 0;
  const trainer = new Trainer({
    ...{ model: createModel, loss: 'meanSquaredError', optimizer: 'adam', seed: 1, ...QUIET, ...way },
    hooks: [
      {
        name: 'clock',
        onEpochStart: (_ctx: unknown, { epoch }: { epoch: number }) => {
          if (epoch === 1) begun = performance.now();
        },
      },
    ],
  });
  const xs = tf.randomNormal([rows, ...shape], 0, 1, 'float32', 1);
  const ys = tf.randomNormal([rows, 1], 0, 1, 'float32', 2);
  const { rank } = await trainer.fit({ train: { xs, ys }, batchSize, epochs: EPOCHS });
  const milliseconds = performance.now() - begun;
  // The second process has no channel to the one that asks.
  if (!rank) await new Promise((resolve) => process.send!(milliseconds, resolve));
  return process.exit();
}

const EPOCHS = 8;
export const QUIET = { discover: false, runsDir: false, logger: createLogger({ level: 'error' }) } as const;

/** Large batches: a share of them is still work. */
export const MODELS = {
  'MLP of 512': {
    createModel: () =>
      sequential({
        layers: [
          layers.dense({ units: 512, activation: 'relu', inputShape: [128] }),
          layers.dense({ units: 512, activation: 'relu' }),
          layers.dense({ units: 1 }),
        ],
      }),
    ...{ rows: 8192, batchSize: 1024, shape: [128] },
  },
  'CNN of 16': {
    createModel: () =>
      sequential({
        layers: [
          layers.conv2d({ filters: 16, kernelSize: 3, activation: 'relu', inputShape: [16, 16, 1] }),
          layers.conv2d({ filters: 16, kernelSize: 3, activation: 'relu' }),
          layers.flatten(),
          layers.dense({ units: 1 }),
        ],
      }),
    ...{ rows: 4096, batchSize: 512, shape: [16, 16, 1] },
  },
};

export type ModelName = keyof typeof MODELS;
