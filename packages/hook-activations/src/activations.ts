import { type Hook, type HookContext, type OptionsSchema, when } from '@hookline/hook-api';
import { type ActivationsOptions, type ActivationsStage, schema } from './options.js';
import { report, type Trouble } from './report.js';
import { TapManager } from './tap-manager.js';
import { TrainingWindow } from './training-window.js';

/** The hook, with the manager of its taps: register more of them, and fetch what they captured. */
export interface ActivationsHook extends Hook {
  readonly name: 'activations';
  readonly taps: TapManager;
}

/**
 * Watches the outputs of layers while a model trains: logs how they are distributed, captures them, looks for trouble
 * in them, or changes them.
 *
 * @example activations({ every: 10, monitor: 'encoder/**', metrics: ['mean', 'dead'], capture: 'encoder' })
 */
export const activations: ((options?: ActivationsOptions) => ActivationsHook) & {
  readonly options: OptionsSchema;
} = Object.assign((options: ActivationsOptions = {}): ActivationsHook => createHook(options), {
  options: schema,
});

function createHook(options: ActivationsOptions): ActivationsHook {
  schema.check(options);
  const { every = 100, stages = ['train'] } = options;
  const window = new TrainingWindow();
  const taps = managerFor(options, window);
  let trouble: Trouble = new Set();

  // Steps are counted as loggers count them: the 100th step is logged as step 100.
  const isDue = ({ state }: HookContext) => state.step === 0 || (state.step + 1) % every === 0;
  const opensOn = (ctx: HookContext) => isDue(ctx) || taps.hasInterventions;
  const opening = (ctx: HookContext): void => window.open(ctx, ctx.state.batchIndex % every === 0);
  const acts = (stage: ActivationsStage) => stages.includes(stage);

  return {
    name: 'activations',
    taps,

    setup({ state, logger }) {
      taps.clearRecords();
      trouble = new Set();
      taps.attach(state.model);
      const changed = taps.listHooks().filter(({ kind }) => kind === 'intervention');
      for (const { id, paths } of changed) {
        logger.info({ id, paths }, `Intervention "${id}" changes what the model computes.`);
      }
    },

    ...(acts('train') && {
      onTrainBatchStart: when(opensOn, (ctx) => window.open(ctx, isDue(ctx))),

      onAfterBackward: when(isDue, async (ctx) => {
        window.closeObservers();
        await taps.settle();
        trouble = report(ctx, taps, trouble);
      }),
    }),
    ...(acts('validation') && { onValidationBatchStart: opening }),
    ...(acts('test') && { onTestBatchStart: opening }),
    ...(acts('predict') && { onPredictBatchStart: opening }),

    async teardown() {
      window.close();
      taps.detach();
      await taps.settle();
    },
  };
}

function managerFor(options: ActivationsOptions, window: TrainingWindow): TapManager {
  const { maxCapturedStates, memoryLimitMb, cleanupInterval, enableIntervention } = options;
  const limits = { maxCapturedStates, memoryLimitMb, cleanupInterval, enableIntervention };
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  const taps = new TapManager(undefined, Object.fromEntries(given), window);
  const { monitor, metrics, capture, debug, conditions, action, interventions = [] } = options;
  for (const [layer, handler] of interventions) {
    const { input, output, gradient } = typeof handler === 'function' ? { output: handler } : handler;
    taps.registerInterventionHook(layer, {
      ...(output && { transform: (event) => output(event) ?? undefined }),
      ...(input && { transformInput: (event) => input(event) ?? undefined }),
      ...(gradient && { transformGradient: (event) => gradient(event) ?? undefined }),
    });
  }
  if (monitor !== false) {
    // Nobody asked for the default: a module that names no points is then no mistake.
    const optional = monitor === undefined;
    const layers = monitor ?? outsideOfCells;
    taps.registerMonitoringHook(layers, { id: 'monitor', optional, ...(metrics && { metrics }) });
  }
  if (capture !== undefined) {
    const { captureInput = false, captureOutput = true, store = 'host' } = options;
    taps.registerCaptureHook(capture, { id: 'capture', captureInput, captureOutput, store });
  }
  if (debug !== undefined) {
    taps.registerDebugHook(debug, {
      id: 'debug',
      ...(conditions && { conditions }),
      ...(action && { action }),
    });
  }
  return taps;
}

/**
 * What a cell computes shows in its RNN. A tap on it makes backends that compute the whole sequence at once go step by
 * step, which is slow and rounds differently: nothing to do unasked.
 */
function outsideOfCells(path: string): boolean {
  return !path.split('/').includes('cell');
}
