import type { AfterBackwardEvent, BatchEvent, ForwardEvent, HookContext } from '@hookline/hook-api';
import type { Scalar } from '@tensorflow/tfjs-core';
import { writeBundle } from './bundle/write-bundle.js';
import { BatchCheck } from './check/batch-check.js';
import { checkWeights } from './check/check-weights.js';
import type { Suspect } from './check/finite-check.js';
import { buffersOf, type Weights } from './check/held-weights.js';
import { ShapeLog } from './check/shape-log.js';
import { headline } from './finding/describe-finding.js';
import { diagnose } from './finding/diagnose.js';
import type { Finding } from './finding/finding.js';
import { reportFinding } from './finding/report-finding.js';
import type { DebugRules } from './options.js';

/** A bundle is as large as the model and its optimizer, and the first ones tell the most. */
const MOST_BUNDLES = 3;

/** The watch over one fit: the batch that is being looked at, and what was found so far. */
export class DebugSession {
  readonly #shapes: ShapeLog;
  #buffers: Weights;
  #batch: BatchCheck | undefined;
  /** The last step at which something was bad, and whether the latest check was. */
  #lastBad: number | undefined;
  #isBad = false;
  /** What was decided when it became bad. */
  #decision: 'stop' | 'warn' = 'warn';
  #bundles = 0;

  constructor(
    private readonly ctx: HookContext,
    private readonly rules: DebugRules,
  ) {
    this.#buffers = buffersOf(ctx.state);
    this.#shapes = new ShapeLog(ctx, rules.shapes);
  }

  /** Layers can be frozen and unfrozen between epochs. */
  epochStarted(): void {
    this.#buffers = buffersOf(this.ctx.state);
  }

  batchStarted(): void {
    this.close();
    this.#batch = new BatchCheck(this.ctx.state.backend, this.#buffers);
  }

  batchReady(event: BatchEvent, isChecked: boolean): void {
    this.#shapes.log(event, isChecked);
  }

  layerRan(event: ForwardEvent): void {
    this.#batch?.activation(event);
  }

  lossComputed(loss: Scalar): void {
    this.#batch?.loss(loss);
  }

  gradientsComputed(event: AfterBackwardEvent): Promise<void> | undefined {
    const batch = this.#batch;
    if (!batch) return undefined;
    const suspects = batch.finish(event.gradients);
    this.#batch = undefined; // the diagnosis runs the model again, and that pass is not a batch to watch
    // Without a promise where none is needed: every good step pays for this.
    const outcome =
      suspects instanceof Promise
        ? suspects.then((found) => this.#judge(event, batch, found))
        : this.#judge(event, batch, suspects);
    if (outcome) return outcome.finally(() => batch.release());
    batch.release();
    return undefined;
  }

  /** Whether the update of the current step must be skipped. */
  get refusesUpdate(): boolean {
    return this.#decision === 'stop' && this.ctx.state.step === this.#lastBad;
  }

  async epochEnded(): Promise<void> {
    const { ctx, rules } = this;
    // Bad weights follow from what was reported already.
    if (ctx.signal.aborted || this.#lastBad !== undefined) return;
    const problem = await checkWeights(ctx.state);
    if (problem === undefined) return;
    this.#lastBad = ctx.state.step;
    this.#isBad = true;
    if (rules.nan === 'warn') {
      ctx.logger.warn(`The ${problem}. Training continues (nan: 'warn').`);
      return;
    }
    ctx.logger.error(`The ${problem}. The run stops.`);
    this.#stop(problem);
  }

  /** Drops the check of a batch that was not finished. */
  close(): void {
    this.#batch?.release();
    this.#batch = undefined;
  }

  #judge(
    event: AfterBackwardEvent,
    batch: BatchCheck,
    suspects: readonly Suspect[],
  ): Promise<void> | undefined {
    if (suspects.length > 0) return this.#respond(event, batch, suspects);
    this.#isBad = false;
    return undefined;
  }

  async #respond(event: AfterBackwardEvent, batch: BatchCheck, suspects: readonly Suspect[]): Promise<void> {
    const { ctx } = this;
    const { step } = ctx.state;
    // Once something is bad, everything that follows usually is: that is one episode, reported once.
    const isNew = !this.#isBad && step !== this.#lastBad;
    this.#isBad = true;
    this.#lastBad = step;
    if (isNew) await this.#report(event, batch, suspects);
    // The forward pass has already written to the buffers; skipping the update is enough for the other weights.
    if (this.#decision === 'stop') {
      await ctx.restore({ version: 1, model: await batch.before.toHost() }, { strict: false });
    }
  }

  async #report(event: AfterBackwardEvent, batch: BatchCheck, suspects: readonly Suspect[]): Promise<void> {
    const { ctx, rules } = this;
    this.#decision = rules.nan === 'warn' ? 'warn' : 'stop'; // also when the diagnosis fails
    const finding = await diagnose(ctx.state, event, suspects, batch.before);
    const bundle = await this.#keepBundle(finding, event, batch);
    this.#decision = reportFinding(ctx, event, finding, rules.nan, bundle);
    if (this.#decision === 'stop') this.#stop(headline(finding));
  }

  #stop(problem: string): void {
    const reason = `${this.ctx.hook}: ${problem}`;
    this.ctx.markFailed(reason);
    this.ctx.stop(reason);
  }

  async #keepBundle(
    finding: Finding,
    event: AfterBackwardEvent,
    batch: BatchCheck,
  ): Promise<string | undefined> {
    const { ctx, rules } = this;
    if (!rules.bundle || this.#bundles === MOST_BUNDLES) return undefined;
    try {
      const folder = await writeBundle(ctx, finding, event.batch, batch);
      if (folder !== undefined) this.#bundles++;
      return folder;
    } catch (err) {
      ctx.logger.warn({ err, step: finding.step }, 'The bundle of this step could not be written.');
      return undefined;
    }
  }
}
