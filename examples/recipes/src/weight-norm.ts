import { defineHook, every } from '@hookline/hook-api';

export interface WeightNormOptions {
  /** Steps between two measurements. */
  frequency?: number;
  verbose?: boolean;
}

/** Logs the norm of all weights as `weights/norm`, as often as it is told to. */
export function weightNorm({ frequency = 100, verbose = false }: WeightNormOptions = {}) {
  return defineHook({
    name: 'weight-norm',
    onStepEnd: every({ steps: frequency }, async (ctx, { step }) => {
      const { model } = await ctx.snapshot({ include: 'model' });
      let squares = 0;
      for (const { data } of Object.values(model)) for (const value of data) squares += value ** 2;
      ctx.log({ 'weights/norm': Math.sqrt(squares) });
      if (verbose)
        ctx.logger.info(`Step ${step}: the norm of the weights is ${Math.sqrt(squares).toFixed(3)}`);
    }),
  });
}
