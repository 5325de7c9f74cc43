import type { Hook, HookContext } from '@hookline/hook-api';
import { regression, regressor } from '@hookline/test-support';
import type { FitOptions, TrainerOptions } from '../../src/index.js';
import { quietTrainer } from './quiet-trainer.js';

/** 4 steps. */
export const FIT: FitOptions = { train: regression(8), epochs: 2, batchSize: 4 };

/** Runs `act` at the end of a fit of 4 steps, and returns what it returns. */
export async function atEnd<Result>(
  act: (ctx: HookContext) => Promise<Result>,
  options: Partial<TrainerOptions> = {},
): Promise<Result> {
  let result: Result | undefined;
  const hook: Hook = {
    name: 'actor',
    onError: 'fail',
    onTrainEnd: async (ctx) => {
      result = await act(ctx);
    },
  };
  const { hooks = [], ...rest } = options;
  const trainer = quietTrainer({ model: regressor(), ...rest, hooks: [hook, ...(hooks as Hook[])] });
  await trainer.fit(FIT);
  return result!;
}
