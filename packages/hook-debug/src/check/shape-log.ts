import type { BatchEvent, HookContext } from '@hookline/hook-api';
import { describeItems } from '../bundle/batch-items.js';
import type { DebugRules } from '../options.js';

/** Logs what is in the first batch of each loader, or in every batch that is checked. */
export class ShapeLog {
  readonly #seen = new Set<string>();

  constructor(
    private readonly ctx: HookContext,
    private readonly shapes: DebugRules['shapes'],
  ) {}

  log({ batch, batchIndex, loaderName }: BatchEvent, isChecked: boolean): void {
    if (this.#seen.has(loaderName) && !(this.shapes === 'every' && isChecked)) return;
    this.#seen.add(loaderName);
    const { epoch, step } = this.ctx.state;
    this.ctx.logger.info(
      { epoch, step, batch: batchIndex },
      `Batch ${batchIndex + 1} of loader "${loaderName}": ${describeItems(batch)}.`,
    );
  }
}
