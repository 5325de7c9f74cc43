import { type Hook, hookFactory, type OptionsSchema, when } from '@hookline/hook-api';
import { type ReportOptions, type ReportRules, rulesOf, schema } from './options.js';
import { ReportSession } from './session.js';

/**
 * Makes a page of the run when it is over, `report.html` in its folder, and draws its loss in the terminal.
 *
 * @example report({ print: false })
 */
export const report: ((options?: ReportOptions) => Hook) & {
  readonly options: OptionsSchema<ReportOptions>;
} = hookFactory(schema, (options) => createHook(rulesOf(options)));

function createHook(rules: ReportRules): Hook {
  /** Of the run that is on: every other event comes between setup and teardown. */
  let session: ReportSession | undefined;
  return {
    name: 'report',
    writes: true,
    // A long log takes a while to read, and a slow disk a while to write.
    timeout: 120,
    // Only while a classifier is validated: outputs that nobody asks for are not kept.
    get needs() {
      return session?.wantsOutputs ? (['outputs'] as const) : [];
    },

    async setup(ctx) {
      session = new ReportSession(ctx, rules);
      await session.open();
    },
    onTrainStart: (_ctx, event) => session!.lines.started(event),
    onTrainBatchEnd: when(
      () => session!.lines.isBatchDue,
      (_ctx, event) => session!.lines.batchEnded(event),
    ),
    onValidationStart: () => session!.validationStarted(),
    onValidationBatchEnd: when(
      () => session!.wantsOutputs,
      (_ctx, event) => session!.validated(event),
    ),
    onValidationEnd: (_ctx, { metrics }) => session!.validationEnded(metrics),
    onEpochEnd: (_ctx, event) => session!.lines.epochEnded(event),
    onLog: (_ctx, event) => session!.lines.logged(event),
    onTestEnd: (_ctx, { metrics }) => session!.lines.measured('test', metrics),
    onTrainEnd: (_ctx, event) => session!.lines.ended(event),
    onException: (_ctx, { error }) => session!.lines.failed(error),
    async teardown() {
      await session?.close();
      session = undefined;
    },
  };
}
