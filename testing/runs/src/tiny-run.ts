import type { Hook } from '@hookline/hook-api';
import type { LogLine } from '@hookline/test-support/collecting-logger';
import type { Trainer, TrainerOptions } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { quietTrainer } from './quiet-trainer.js';
import { watchedLogger } from './watched-logger.js';

export interface TinyRun {
  trainer: Trainer;
  /** Everything that the run and its hooks log. */
  logged: LogLine[];
  /** Warnings and errors among that. */
  complaints: string[];
  weights(): Promise<number[]>;
}

/** A small model that really learns: 2 inputs, 4 hidden units, 1 output. */
export function tinyRun(hooks: TrainerOptions['hooks'], options: Partial<TrainerOptions> = {}): TinyRun {
  const { logger, logged, complaints } = watchedLogger();
  const trainer = quietTrainer({
    model: () =>
      tfl.sequential({
        layers: [
          tfl.layers.dense({ inputShape: [2], units: 4, activation: 'tanh' }),
          tfl.layers.dense({ units: 1 }),
        ],
      }),
    optimizer: { name: 'sgd', lr: 0.01 },
    hooks: hooks as Hook[],
    seed: 3,
    logger,
    ...options,
  });
  return {
    trainer,
    logged,
    complaints,
    async weights() {
      const model = (await trainer.model()) as tfl.LayersModel;
      return model.getWeights().flatMap((weight) => [...weight.dataSync()]);
    },
  };
}

/** So many samples of a function that the model of `tinyRun` can learn. */
export function samples(count: number): { xs: tf.Tensor; ys: tf.Tensor } {
  const xs = Array.from({ length: count }, (_, i) => [Math.sin(i), Math.cos(3 * i)] as const);
  return { xs: tf.tensor2d(xs.map((x) => [...x])), ys: tf.tensor2d(xs.map(([a, b]) => [a * 0.5 - b])) };
}
