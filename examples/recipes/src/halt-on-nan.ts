import { defineHook } from '@hookline/hook-api';

/** Ends training at the first loss that is not a number. */
export const haltOnNan = defineHook({
  name: 'halt-on-nan',
  onStepEnd(ctx, { step, loss }) {
    if (Number.isNaN(loss)) ctx.stop(`NaN loss at step ${step}`);
  },
});
