import {
  type BatchEvent,
  defineOptions,
  type EpochEvent,
  type Hook,
  type HookContext,
  is,
  type OptionsSchema,
  type StageEvent,
  when,
} from '@hookline/hook-api';
import { terminalKey } from '@hookline/hook-api/helpers';
import { Attendance } from './attendance.js';
import { barDisplay, type Display, plainDisplay } from './display.js';
import { printable } from './progress-line.js';
import { RunProgress } from './run-progress.js';
import { breakingOf, canRedraw, isConsolePrinting, type ProgressStream } from './terminal.js';

export interface ProgressOptions {
  /** Where to show it. Default standard error, so that redirected output stays clean. */
  stream?: ProgressStream;
  /** Milliseconds between two drawings of the bar. Default 100. */
  refreshMs?: number;
}

/** How many batches there will be, where the trainer tells. */
interface Counted {
  batches?: number | undefined;
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
  let attendance: Attendance | undefined;

  const isLive = () => display.terminal !== undefined;
  // Asked before a payload is built: a batch that is not shown reads nothing from the device.
  const isBatchDue = (ctx: HookContext) => {
    attendance?.note();
    const isDue = display.isDue(ctx.state.batchIndex + 1, run.batchesPerEpoch, performance.now());
    return isDue && (isLive() || !isConsolePrinting(ctx, run.epoch));
  };
  const isRedrawDue = () => {
    attendance?.note();
    return isLive() && display.isDue(0, undefined, performance.now());
  };

  const begin = (label: string, { batches }: Counted) => {
    const now = performance.now();
    attendance?.note();
    run.startOther(label, batches, now);
    display.turn(run.views(now), now);
  };
  const advance = (done: number) => {
    const now = performance.now();
    run.advance(done, now);
    display.update(run.views(now), now);
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
      display = canRedraw(stream, process.env)
        ? barDisplay(stream, refreshMs, breakingOf(process.env))
        : plainDisplay(stream);
      if (!display.terminal) return;
      ctx.shared.set(terminalKey, display.terminal);
      // Who switches us off does not want to look at the last bar either.
      attendance = new Attendance(ctx.state, () => display.end());
    },

    onTrainStart(ctx, event) {
      run.startRun(event, ctx.state.step > 0, performance.now());
    },

    onEpochStart(_ctx, { epoch }) {
      const now = performance.now();
      attendance?.note();
      run.startEpoch(epoch, now);
      display.turn(run.views(now), now);
    },

    onTrainBatchEnd: when(isBatchDue, ({ state }: HookContext, event) => {
      if (!event.skipped) run.loss = event.loss;
      run.learningRates = state.optimizers.flatMap(({ groups }) =>
        groups.map(({ lr, lrScale }) => lr * lrScale),
      );
      advance(event.batchIndex + 1);
    }),

    onValidationStart(ctx, event: EpochEvent & Counted) {
      if (ctx.state.stage === 'fit') run.advance(ctx.state.batchIndex + 1, performance.now());
      begin(ctx.state.stage === 'fit' ? 'validating' : 'validate', event);
    },
    onValidationBatchStart: advanceOther,
    onValidationEnd(ctx, { metrics }) {
      const now = performance.now();
      attendance?.note();
      run.metrics = metrics;
      run.endOther(ctx.state.batchIndex + 1, now);
      display.turn(run.views(now), now);
    },

    onEpochEnd(ctx, { metrics }) {
      const now = performance.now();
      attendance?.note();
      run.advance(ctx.state.batchIndex + 1, now);
      if (!isConsolePrinting(ctx, run.epoch)) display.leave(run.epochView(metrics, now));
    },

    onTrainEnd(ctx, { stopReason }) {
      if (stopReason === undefined || isConsolePrinting(ctx, run.epoch)) return;
      display.say(printable(`stopped: ${stopReason}`));
    },

    onTestStart: (_ctx, event: StageEvent & Counted) => begin('test', event),
    onTestBatchStart: advanceOther,
    onPredictStart: (_ctx, event: StageEvent & Counted) => begin('predict', event),
    onPredictBatchStart: advanceOther,

    teardown(ctx) {
      attendance?.stop();
      attendance = undefined;
      ctx.shared.delete(terminalKey);
      display.end();
    },
  };
}
