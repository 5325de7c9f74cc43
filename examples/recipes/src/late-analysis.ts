import { after, defineHook } from '@hookline/hook-api';

/** Looks at the batches once so many epochs are done: early losses are high for everybody. */
export function lateAnalysis({ afterEpochs = 10, limit = 3 } = {}) {
  return defineHook({
    name: 'late-analysis',
    onTrainBatchEnd: after({ epochs: afterEpochs }, (ctx, { loss, batchIndex }) => {
      if (loss === undefined || loss < limit * ctx.state.avgLoss) return;
      ctx.logger.warn(
        `Batch ${batchIndex} of epoch ${ctx.state.epoch + 1} is an outlier: loss ${loss.toFixed(4)}`,
      );
    }),
  });
}
