import type { BatchEvent, HookContext } from '@hookline/hook-api';
import { describeItems } from './batch-items.js';

/** Logs what is in the first batch of each loader, or in every batch that `isDue`. */
export class ShapeLog {
  readonly #seen = new Set<string>();

  constructor(private readonly isDue: (ctx: HookContext) => boolean) {}

  log(ctx: HookContext, { batch, batchIndex, loaderName }: BatchEvent): void {
    if (this.#seen.has(loaderName) && !this.isDue(ctx)) return;
    this.#seen.add(loaderName);
    const { epoch, step } = ctx.state;
    ctx.logger.info(
      { epoch, step, batch: batchIndex },
      `Batch ${batchIndex} of loader "${loaderName}": ${describeItems(batch)}.`,
    );
  }

  reset(): void {
    this.#seen.clear();
  }
}
