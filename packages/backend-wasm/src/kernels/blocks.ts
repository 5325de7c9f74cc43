// Sums over rows or numbers are sums of blocks, added in order: whichever thread computes a block, the bits are the same.

/** Rows of a block in assembly/batch-norm.ts. */
export const BATCH_NORM_ROWS = 128;

/** Rows of a block in assembly/layer-norm.ts: fewer, so that wide rows can be shared out too. */
export const LAYER_NORM_ROWS = 32;

/** Numbers of a block in assembly/loss.ts. */
export const LOSS_NUMBERS = 1024;

export function blocksOf(count: number, size: number): number {
  return Math.ceil(count / size);
}
