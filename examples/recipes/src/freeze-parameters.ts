import { defineHook } from '@hookline/hook-api';

/**
 * Keeps parameters as they are for the first epochs. `null` means no update at all: with a gradient of zero, weight
 * decay and momentum would still move them.
 */
export function freezeParameters({ params = /^encoder\//, epochs = 1 } = {}) {
  return defineHook({
    name: 'freeze-parameters',
    transformGradients(ctx, { gradients }) {
      if (ctx.state.completedEpochs >= epochs) return undefined;
      const frozen = Object.keys(gradients).filter((path) => params.test(path));
      // Paths that are left out keep their gradients.
      return Object.fromEntries(frozen.map((path) => [path, null]));
    },
  });
}
