import {
  type BatchEvent,
  type Hook,
  type HookContext,
  hookFactory,
  type OptionsSchema,
  when,
} from '@hookline/hook-api';
import { type ProgressOptions, type ProgressRules, rulesOf, schema } from './options.js';
import { ProgressSession } from './session.js';

/**
 * Shows how far the run is: a bar on a terminal, plain lines elsewhere.
 *
 * @example progress({ refreshMs: 250 })
 */
export const progress: ((options?: ProgressOptions) => Hook) & {
  readonly options: OptionsSchema<ProgressOptions>;
} = hookFactory(schema, (options) => createHook(rulesOf(options)));

function createHook(rules: ProgressRules): Hook {
  /** Of the run that is on: every other event comes between setup and teardown. */
  let session!: ProgressSession;
  // At the start of a batch: there is no loss to read, and as many batches are done as its index says.
  const advance = when(
    () => session.isRedrawDue,
    (_ctx: HookContext, { batchIndex }: BatchEvent) => session.advanced(batchIndex),
  );
  return {
    name: 'progress',
    ranks: 'main',

    setup(ctx) {
      session = new ProgressSession(ctx, rules);
    },
    onTrainStart: (_ctx, event) => session.trainingStarted(event),
    onEpochStart: (_ctx, { epoch }) => session.epochStarted(epoch),
    // Asked before the event is built: a batch that is not shown reads nothing from the device.
    onTrainBatchEnd: when(
      () => session.isBatchDue,
      (_ctx, event) => session.batchEnded(event),
    ),
    onValidationStart: (_ctx, { batches }) => session.validationStarted(batches),
    onValidationBatchStart: advance,
    onValidationEnd: (_ctx, { metrics }) => session.validated(metrics),
    onEpochEnd: (_ctx, { metrics }) => session.epochEnded(metrics),
    onTrainEnd: (_ctx, { stopReason }) => session.trainingEnded(stopReason),
    onTestStart: (_ctx, { batches }) => session.started('test', batches),
    onTestBatchStart: advance,
    onPredictStart: (_ctx, { batches }) => session.started('predict', batches),
    onPredictBatchStart: advance,
    teardown: () => session.close(),
  };
}
