import { defineHook, type HookLogger, type Metrics } from '@hookline/hook-api';
import {
  DataLoader,
  type FitOptions,
  type FitResult,
  type HooksOption,
  Trainer,
  type TrainerOptions,
} from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { type LayersModel, layers, sequential } from '@tensorflow/tfjs-layers';

export interface TinyTraining {
  trainer: Trainer;
  result: FitResult;
  /** `level hook: message`, as the hooks and the trainer said it. */
  said: string[];
  /** What hooks gave to `ctx.log`, with the step. */
  logged: (Metrics & { step: number })[];
  /** All numbers of the model. */
  weights: number[];
}

/** Trains a small model on a plane, 8 batches an epoch, with nothing but these hooks. */
export async function train(
  hooks: Extract<HooksOption, readonly unknown[]>,
  fit: { [Name in keyof FitOptions]?: FitOptions[Name] | undefined } = {},
  options: Partial<TrainerOptions> = {},
): Promise<TinyTraining> {
  const said: string[] = [];
  const logged: TinyTraining['logged'] = [];
  const listener = defineHook({
    name: 'listener',
    onLog: (_ctx, { step, values }) => void logged.push({ step, ...values }),
  });
  const trainer = new Trainer({
    model: tinyModel,
    loss: 'meanSquaredError',
    optimizer: { name: 'sgd', lr: 0.05 },
    hooks: [...hooks, listener],
    discover: false,
    runsDir: false,
    backend: 'wasm',
    seed: 7,
    logger: listeningLogger(said),
    ...options,
  });
  const defaults = { train: plane(64), validation: plane(16), epochs: 2, batchSize: 8 };
  const result = await trainer.fit({ ...defaults, ...fit } as FitOptions);
  const model = (await trainer.model()) as LayersModel;
  const weights = model.getWeights().flatMap((weight) => [...weight.dataSync()]);
  return { trainer, result, said, logged, weights };
}

/** Paths: encoder/kernel, encoder/bias, head/kernel, head/bias. */
function tinyModel(): LayersModel {
  return sequential({
    layers: [
      layers.dense({ name: 'encoder', units: 4, activation: 'relu', inputShape: [2] }),
      layers.dense({ name: 'head', units: 1 }),
    ],
  });
}

export function plane(count: number): { xs: tf.Tensor; ys: tf.Tensor } {
  const rows = Array.from({ length: count }, (_, row): [number, number] => [
    Math.sin(row),
    Math.cos(1.7 * row),
  ]);
  return { xs: tf.tensor2d(rows), ys: tf.tensor2d(rows.map(([a, b]) => [2 * a - 3 * b])) };
}

/** So many samples whose loss is NaN, which the trainer would refuse if it looked at them. */
export function brokenData(count: number): DataLoader {
  const samples = { xs: tf.ones([count, 2]), ys: tf.fill([count, 1], Number.NaN) };
  return new DataLoader(samples, { checkData: false });
}

function listeningLogger(said: string[], hook = 'trainer'): HookLogger {
  const at = (level: string) => (first: object | string, message?: string) => {
    said.push(`${level} ${hook}: ${typeof first === 'string' ? first : message}`);
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: ({ hook: name }) => listeningLogger(said, String(name)),
  };
}
