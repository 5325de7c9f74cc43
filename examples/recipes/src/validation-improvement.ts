import { defineHook } from '@hookline/hook-api';

/** Logs after each validation by how much a metric is better than it ever was. */
export function validationImprovement({ metric = 'val/accuracy' } = {}) {
  let best = 0;
  return defineHook({
    name: 'validation-improvement',
    setup() {
      best = 0;
    },
    onValidationEnd(ctx, { metrics }) {
      const value = metrics[metric];
      if (value === undefined) return;
      ctx.logger.info(`${metric} ${value.toFixed(4)}, improvement ${(value - best).toFixed(4)}`);
      best = Math.max(best, value);
    },
  });
}
