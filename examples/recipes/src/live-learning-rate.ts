import { readFile } from 'node:fs/promises';
import { defineHook } from '@hookline/hook-api';

/**
 * Scales the learning rate by the number in a file that can be edited while training runs. A missing file or a
 * typo throws, and that is fine: the error is logged with its stack, training continues, and after three in a row
 * the hook is switched off. No try and catch needed.
 */
export function liveLearningRate({ file = 'lr-scale.txt' } = {}) {
  return defineHook({
    name: 'live-learning-rate',
    async onEpochStart(ctx) {
      const scale = Number(await readFile(file, 'utf8'));
      if (!(scale > 0)) throw new Error(`${file} must hold a number above 0`);
      for (const { groups } of ctx.state.optimizers) for (const group of groups) group.lrScale = scale;
    },
  });
}
