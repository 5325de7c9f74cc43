import { regression, weightsOf } from '@hookline/test-support';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect } from 'vitest';
import type { FitOptions, FitResult, TrainerOptions } from '../../src/index.js';
import { quietTrainer } from './quiet-trainer.js';
import { ranksInProcess } from './ranks-in-process.js';

/** Small, with a penalty: what layers add to a loss is part of it. */
export function model(): tfl.Sequential {
  return tfl.sequential({
    layers: [
      tfl.layers.dense({ name: 'hidden', units: 6, inputShape: [3], activation: 'tanh' }),
      tfl.layers.dense({ name: 'out', units: 1, kernelRegularizer: tfl.regularizers.l2({ l2: 0.01 }) }),
    ],
  });
}

/** 10 samples in batches of 4: the last batch has 2, so that of 4 ranks two have none of it. */
export const FIT: FitOptions = {
  train: regression(10),
  validation: regression(7, 2),
  epochs: 3,
  batchSize: 4,
};
export const OPTIONS = {
  model,
  optimizer: { name: 'adam', lr: 0.02 },
  metrics: ['meanAbsoluteError'],
} as const;

interface Rank {
  result: FitResult;
  weights: number[][];
}

type Vary<Value> = Value | ((rank: number) => Value);

/** The same fit on each of `world` ranks. */
export async function together(
  world: number,
  options: Vary<Partial<TrainerOptions>> = {},
  fit: Vary<Partial<FitOptions>> = {},
): Promise<Rank[]> {
  const of = <Value>(value: Vary<Value>, rank: number) =>
    typeof value === 'function' ? (value as (rank: number) => Value)(rank) : value;
  return Promise.all(
    ranksInProcess(world).map(async (collective, rank) => {
      const strategy = { name: 'test', collective };
      const trainer = quietTrainer({ ...OPTIONS, strategy, ...of(options, rank) });
      const result = await trainer.fit({ ...FIT, ...of(fit, rank) });
      const weights = weightsOf((await trainer.model()) as tfl.Sequential);
      await trainer.dispose();
      return { result, weights };
    }),
  );
}

/** The same in one process. */
export async function alone(
  options: Partial<TrainerOptions> = {},
  fit: Partial<FitOptions> = {},
): Promise<Rank> {
  const trainer = quietTrainer({ ...OPTIONS, ...options });
  const result = await trainer.fit({ ...FIT, ...fit });
  return { result, weights: weightsOf((await trainer.model()) as tfl.Sequential) };
}

/** Sums over ranks are rounded in another order than those of one process. */
export function expectClose(given: number[][], expected: number[][]): void {
  given.flat().forEach((value, index) => {
    expect(value).toBeCloseTo(expected.flat()[index]!, 5);
  });
}
