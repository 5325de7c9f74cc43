import { type Hook, hookFactory, type OptionsSchema } from '@hookline/hook-api';
import { type MyHookOptions, schema } from './options.js';

/**
 * Logs a moving average of the loss as `my-hook/loss`.
 *
 * @example myHook({ smoothing: 0.99 })
 */
export const myHook: ((options?: MyHookOptions) => Hook) & {
  readonly options: OptionsSchema<MyHookOptions>;
} = hookFactory(schema, ({ smoothing = 0.9 }) => {
  let average: number | null = null;

  return {
    name: 'my-hook',

    // The same hook may be in several runs: each begins here.
    setup() {
      average = null;
    },

    onTrainBatchEnd(ctx, { loss }) {
      if (loss === undefined) return; // the batch was skipped
      average = average === null ? loss : smoothing * average + (1 - smoothing) * loss;
      ctx.log({ 'my-hook/loss': average });
    },

    // What a checkpoint holds, so that a resumed run goes on as if it had never stopped.
    saveState: () => average,
    loadState(state) {
      average = state as number | null;
    },
  };
});
