import {
  type BatchEvent,
  defineOptions,
  type Hook,
  type HookContext,
  is,
  type OptionsSchema,
  when,
} from '@hookline/hook-api';
import { barDisplay, type Display, plainDisplay } from './display.js';
import { printable } from './progress-line.js';
import { RunProgress } from './run-progress.js';
import { canRedraw, isConsolePrinting, type ProgressStream, terminalKey } from './terminal.js';

export interface ProgressOptions {
  /** Where to show it. Default standard error, so that redirected output stays clean. */
  stream?: ProgressStream;
  /** Milliseconds between two drawings of the bar. Default 100. */
  refreshMs?: number;
}

const schema = defineOptions<ProgressOptions>('progress', {
  stream: is.object,
  refreshMs: is.number({ min: 0 }),
});

/**
 * Shows how far the run is: a bar on a terminal, plain lines elsewhere.
 *
 * @example progress({ refreshMs: 250 })
 */
export const progress: ((options?: ProgressOptions) => Hook) & { readonly options: OptionsSchema } =
  Object.assign(createHook, { options: schema });

function createHook(options: ProgressOptions = {}): Hook {
  schema.check(options);
  const { stream = process.stderr, refreshMs = 100 } = options;
  let display: Display = plainDisplay(stream);
  let run = new RunProgress();

  const isLive = () => display.terminal !== undefined;
  // Asked before a payload is built: a batch that is not shown reads nothing from the device.
  const isBatchDue = (ctx: HookContext) =>
    display.isDue(ctx.state.batchIndex + 1, run.batchesPerEpoch, performance.now()) &&
    (isLive() || !isConsolePrinting(ctx, run.epoch));
  const isRedrawDue = () => isLive() && display.isDue(0, undefined, performance.now());

  const begin = (label: string) => {
    const now = performance.now();
    run.startOther(label, now);
    display.turn(run.view(now), now);
  };
  const advance = (done: number) => {
    const now = performance.now();
    run.advance(done, now);
    display.update(run.view(now), now);
  };
  // At the start of a batch: there is no loss to read, and as many batches are done as its index says.
  const advanceOther = when(isRedrawDue, (_ctx: HookContext, { batchIndex }: BatchEvent) =>
    advance(batchIndex),
  );

  return {
    name: 'progress',

    setup(ctx, { stage }) {
      run = new RunProgress();
      if (stage === 'fit') run.startEpoch(ctx.state.epoch, performance.now());
      display = canRedraw(stream, process.env) ? barDisplay(stream, refreshMs) : plainDisplay(stream);
      if (display.terminal) ctx.shared.set(terminalKey, display.terminal);
    },

    onTrainStart(ctx, event) {
      run.startRun(event, ctx.state.step > 0, performance.now());
    },

    onEpochStart(_ctx, { epoch }) {
      const now = performance.now();
      run.startEpoch(epoch, now);
      display.turn(run.view(now), now);
    },

    onTrainBatchEnd: when(isBatchDue, ({ state }: HookContext, event) => {
      if (!event.skipped) run.loss = event.loss;
      run.learningRates = state.optimizers.flatMap(({ groups }) =>
        groups.map(({ lr, lrScale }) => lr * lrScale),
      );
      advance(event.batchIndex + 1);
    }),

    onValidationStart(ctx) {
      if (ctx.state.stage === 'fit') run.advance(ctx.state.batchIndex + 1, performance.now());
      begin(ctx.state.stage === 'fit' ? 'validating' : 'validate');
    },
    onValidationBatchStart: advanceOther,
    onValidationEnd(_ctx, { metrics }) {
      const now = performance.now();
      run.metrics = metrics;
      run.endOther(now);
      display.turn(run.view(now), now);
    },

    onEpochEnd(ctx, { metrics }) {
      const now = performance.now();
      run.advance(ctx.state.batchIndex + 1, now);
      if (!isConsolePrinting(ctx, run.epoch)) display.leave(run.epochView(metrics, now));
    },

    onTrainEnd(ctx, { stopReason }) {
      if (stopReason === undefined || isConsolePrinting(ctx, run.epoch)) return;
      display.say(printable(`stopped: ${stopReason}`));
    },

    onTestStart: () => begin('test'),
    onTestBatchStart: advanceOther,
    onPredictStart: () => begin('predict'),
    onPredictBatchStart: advanceOther,

    teardown(ctx) {
      ctx.shared.delete(terminalKey);
      display.end();
    },
  };
}
