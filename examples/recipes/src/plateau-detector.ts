import { defineHook } from '@hookline/hook-api';

/** Says so when the loss of the last epochs hardly moved. What it has seen is part of every checkpoint. */
export function plateauDetector({ epochs = 5, delta = 0.001 } = {}) {
  let losses: number[] = [];
  return defineHook({
    name: 'plateau-detector',
    // Not in onTrainStart: a run that resumes gets its state back between the two.
    setup() {
      losses = [];
    },
    onEpochEnd(ctx, { metrics }) {
      losses = [...losses, metrics['train/loss']!].slice(-epochs);
      const moved = Math.max(...losses) - Math.min(...losses);
      if (losses.length < epochs || moved >= delta) return;
      ctx.logger.warn(`Plateau: the loss moved by ${moved.toExponential(1)} in ${epochs} epochs`);
      ctx.log({ 'plateau/moved': moved });
    },
    saveState: () => losses,
    loadState(state) {
      losses = state as number[];
    },
  });
}
