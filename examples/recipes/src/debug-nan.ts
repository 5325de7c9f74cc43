import { type Batch, type HookContext, type HookEvents, TrainerHook } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';

/** Logs the shapes of each batch, and stops at the first NaN, naming the gradients that hold it. */
export class DebugNan extends TrainerHook {
  readonly name = 'debug-nan';
  readonly shapes: boolean;

  constructor({ shapes = false } = {}) {
    super();
    this.shapes = shapes;
  }

  override onTrainBatchStart(ctx: HookContext, { batch, batchIndex }: HookEvents['onTrainBatchStart']): void {
    if (this.shapes)
      ctx.logger.info(`Batch ${batchIndex}: xs ${shapesOf(batch.xs)}, ys ${shapesOf(batch.ys)}`);
  }

  override async onAfterBackward(
    ctx: HookContext,
    { gradients }: HookEvents['onAfterBackward'],
  ): Promise<void> {
    const paths = Object.keys(gradients);
    // One flag for each gradient, and one read for all of them.
    const flags = tf.tidy(() =>
      tf.stack(Object.values(gradients).map((gradient) => tf.any(tf.isNaN(gradient)))),
    );
    const values = await flags.data();
    flags.dispose();
    const bad = paths.filter((_, index) => values[index]);
    if (bad.length > 0) ctx.stop(`NaN in the gradients of ${bad.join(', ')}`);
  }
}

function shapesOf(tree: Batch['ys']): string {
  if (tree === undefined) return 'none';
  return [tree instanceof tf.Tensor ? [tree] : Object.values(tree)]
    .flat()
    .map(({ shape }) => `[${shape}]`)
    .join(' ');
}
