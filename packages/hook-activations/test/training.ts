import type { Hook, Metrics, TrainableModule } from '@hookline/hook-api';
import { collectingLogger, type LogLine, TEST_BACKEND } from '@hookline/test-support';
import { type FitOptions, type FitResult, Trainer, type TrainerOptions } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { Blocks, mixed, mlp, numbers } from './models.js';

export const KINDS = {
  layers: { model: mlp, shape: [3] },
  'nested layers and an LSTM': { model: mixed, shape: [4, 3] },
  'raw ops': { model: () => new Blocks(), shape: [4] },
} as const;

export interface TrainingOptions extends Partial<TrainerOptions> {
  validation?: boolean;
  beforeFit?: (trainer: Trainer) => void;
  fit?: Partial<FitOptions>;
}

export interface Training {
  result: FitResult;
  /** Every weight at the end, by path. */
  weights: Record<string, number[]>;
  xs: tf.Tensor;
  trainer: Trainer;
  /** What the hook said. */
  said: LogLine[];
  /** What it has said by now at one level, in words. */
  spoken: (level: LogLine['level']) => string[];
  /** What was logged at each step, without the numbers of the trainer itself. */
  series: { step: number; values: Metrics }[];
}

/** A real run of 6 steps; what was logged, said and learned. */
export async function train(
  hooks: Hook[],
  kind: keyof typeof KINDS = 'layers',
  options: TrainingOptions = {},
): Promise<Training> {
  const { model, shape } = KINDS[kind];
  const { validation, beforeFit, fit, ...rest } = options;
  const logged: { step: number; values: Metrics }[] = [];
  const said: LogLine[] = [];
  const weights: Record<string, number[]> = {};
  const reader: Hook = {
    name: 'reader',
    onLog: (_ctx, { step, values }) => void logged.push({ step, values }),
    teardown({ state }) {
      for (const [path, weight] of Object.entries(state.parameters)) weights[path] = numbers(weight);
    },
  };
  const trainer = new Trainer({
    model: model as () => TrainableModule,
    loss: 'meanSquaredError',
    optimizer: { name: 'sgd', lr: 0.05 },
    hooks: [...hooks, reader],
    discover: false,
    backend: TEST_BACKEND,
    runsDir: false,
    seed: 3,
    logger: collectingLogger(said),
    ...rest,
  });
  const xs = tf.randomNormal([12, ...shape], 0, 1, 'float32', 5);
  const ys = tf.randomNormal([12, 1], 0, 1, 'float32', 6);
  beforeFit?.(trainer);
  const data = { xs, ys };
  const result = await trainer.fit({
    train: data,
    ...(validation && { validation: data }),
    epochs: 2,
    batchSize: 4,
    shuffle: false,
    ...fit,
  });
  const series = logged.map(({ step, values }) => ({
    step,
    values: Object.fromEntries(Object.entries(values).filter(([name]) => !/^(train|val|lr)\//.test(name))),
  }));
  const ofHook = () => said.filter(({ fields }) => fields.hook === 'activations');
  return {
    result,
    weights,
    xs,
    trainer,
    said: ofHook(),
    spoken: (wanted) => ofHook().flatMap(({ level, message }) => (level === wanted ? [message] : [])),
    series: series.filter(({ values }) => Object.keys(values).length > 0),
  };
}
