import { defineHook, every } from '@hookline/hook-api';

/** Logs the average loss of the epoch so far, every 100 steps. In between nothing is read from the device. */
export const averageLoss = defineHook({
  name: 'average-loss',
  onTrainBatchEnd: every({ steps: 100 }, (ctx) => {
    ctx.logger.info(`Average loss: ${ctx.state.avgLoss.toFixed(4)}`);
  }),
});
