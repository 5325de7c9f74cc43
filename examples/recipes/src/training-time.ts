import { defineHook } from '@hookline/hook-api';

/** Logs how long each epoch took, and the whole training. */
export function trainingTime() {
  let runStart = 0;
  let epochStart = 0;
  const secondsSince = (start: number) => ((performance.now() - start) / 1000).toFixed(2);

  return defineHook({
    name: 'training-time',
    onTrainStart(ctx) {
      runStart = performance.now();
      ctx.logger.info('Training started');
    },
    onEpochStart() {
      epochStart = performance.now();
    },
    onEpochEnd(ctx, { epoch }) {
      ctx.logger.info(`Epoch ${epoch + 1} took ${secondsSince(epochStart)} seconds`);
    },
    onTrainEnd(ctx, { status }) {
      ctx.logger.info(`Training ${status} after ${secondsSince(runStart)} seconds`);
    },
  });
}
