import { defineHook, sharedKey } from '@hookline/hook-api';

/** How much worse the model does on data it has not seen. The key carries the type from one hook to the other. */
export const generalizationGap = sharedKey<number>('generalization-gap');

export const gapProducer = defineHook({
  name: 'gap-producer',
  onEpochEnd(ctx, { metrics }) {
    ctx.shared.set(generalizationGap, metrics['val/loss']! - metrics['train/loss']!);
  },
});

/** To be listed after the producer: hooks are called in the order of the list. */
export function gapConsumer({ limit = 0.5 } = {}) {
  return defineHook({
    name: 'gap-consumer',
    onEpochEnd(ctx, { epoch }) {
      const gap = ctx.shared.get(generalizationGap);
      if (gap !== undefined && gap > limit)
        ctx.stop(`the model overfits: gap ${gap.toFixed(2)} in epoch ${epoch + 1}`);
    },
  });
}
