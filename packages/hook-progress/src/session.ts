import type { BatchEndEvent, HookContext, Metrics, TrainStartEvent } from '@hookline/hook-api';
import type { Display } from './display/display.js';
import { openDisplay, type RunDisplay } from './display/run-display.js';
import { isConsolePrinting } from './display/terminal.js';
import { printable } from './line/progress-line.js';
import type { ProgressRules } from './options.js';
import { Attendance } from './pace/attendance.js';
import { RunProgress } from './pace/run-progress.js';

/** One run: how far it is, and where that is shown. */
export class ProgressSession {
  readonly #place: RunDisplay;
  readonly #run = new RunProgress();
  readonly #attendance: Attendance | undefined;

  constructor(
    private readonly ctx: HookContext,
    rules: ProgressRules,
  ) {
    if (ctx.state.stage === 'fit') this.#run.startEpoch(ctx.state.epoch, performance.now());
    this.#place = openDisplay(ctx, rules);
    // Whoever switches the hook off does not want to look at the last bar either.
    if (this.#isLive) this.#attendance = new Attendance(ctx.state, () => this.#display.end());
  }

  /** Cheap: asked at the end of every batch. */
  get isBatchDue(): boolean {
    this.#attendance?.note();
    const { batchIndex } = this.ctx.state;
    const isDue = this.#display.isDue(batchIndex + 1, this.#run.batchesPerEpoch, performance.now());
    return isDue && (this.#isLive || !this.#isPrintedElsewhere);
  }

  /** The same for batches of a validation, a test or a prediction: plain lines leave them out. */
  get isRedrawDue(): boolean {
    this.#attendance?.note();
    return this.#isLive && this.#display.isDue(0, undefined, performance.now());
  }

  trainingStarted(event: TrainStartEvent): void {
    this.#run.startRun(event, this.ctx.state.step > 0, performance.now());
  }

  epochStarted(epoch: number): void {
    this.#turn((now) => this.#run.startEpoch(epoch, now));
  }

  batchEnded(event: BatchEndEvent): void {
    if (!event.skipped) this.#run.loss = event.loss;
    this.#run.learningRates = this.ctx.state.optimizers.flatMap(({ groups }) =>
      groups.map(({ lr, lrScale }) => lr * lrScale),
    );
    this.advanced(event.batchIndex + 1);
  }

  validationStarted(batches: number | undefined): void {
    const { stage, batchIndex } = this.ctx.state;
    if (stage === 'fit') this.#run.advance(batchIndex + 1, performance.now());
    this.started(stage === 'fit' ? 'validating' : 'validate', batches);
  }

  validated(metrics: Metrics): void {
    this.#run.metrics = metrics;
    this.#turn((now) => this.#run.endOther(this.ctx.state.batchIndex + 1, now));
  }

  epochEnded(metrics: Metrics): void {
    const now = performance.now();
    this.#attendance?.note();
    this.#run.advance(this.ctx.state.batchIndex + 1, now);
    if (!this.#isPrintedElsewhere) this.#display.leave(this.#run.epochView(metrics, now));
  }

  trainingEnded(stopReason: string | undefined): void {
    if (stopReason === undefined || this.#isPrintedElsewhere) return;
    this.#display.say(printable(`stopped: ${stopReason}`));
  }

  /** Something other than training begins. */
  started(label: string, batches: number | undefined): void {
    this.#turn((now) => this.#run.startOther(label, batches, now));
  }

  /** So many batches are done of what is going on. */
  advanced(done: number): void {
    const now = performance.now();
    this.#run.advance(done, now);
    this.#display.update(this.#run.views(now), now);
  }

  close(): void {
    this.#attendance?.stop();
    this.#place.close();
  }

  get #display(): Display {
    return this.#place.display;
  }

  get #isLive(): boolean {
    return this.#display.terminal !== undefined;
  }

  /** By console-log: nobody wants to read the lines of an epoch twice. */
  get #isPrintedElsewhere(): boolean {
    return isConsolePrinting(this.ctx, this.#run.epoch);
  }

  /** Something begins or ends. */
  #turn(change: (now: number) => void): void {
    const now = performance.now();
    this.#attendance?.note();
    change(now);
    this.#display.turn(this.#run.views(now), now);
  }
}
