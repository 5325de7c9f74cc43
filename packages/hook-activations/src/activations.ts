import { type Hook, type HookContext, hookFactory, type OptionsSchema, when } from '@hookline/hook-api';
import { configuredTaps } from './configured-taps.js';
import { type ActivationsOptions, type ActivationsStage, schema } from './options.js';
import { ActivationsSession } from './session.js';
import type { TapManager } from './taps/tap-manager.js';
import { TrainingWindow } from './taps/training-window.js';

/** The hook, with the manager of its taps: register more of them, and fetch what they captured. */
export interface ActivationsHook extends Hook {
  readonly taps: TapManager;
}

/**
 * Watches the outputs of layers while a model trains: logs how they are distributed, captures them, looks for trouble
 * in them, or changes them.
 *
 * @example activations({ every: 10, monitor: 'encoder/**', metrics: ['mean', 'dead'], capture: 'encoder' })
 */
export const activations: ((options?: ActivationsOptions) => ActivationsHook) & {
  readonly options: OptionsSchema<ActivationsOptions>;
} = hookFactory(schema, createHook);

function createHook(options: ActivationsOptions): ActivationsHook {
  const { every = 100, stages = ['train'] } = options;
  // These outlive a run: whoever holds the hook reads from the manager what was captured.
  const window = new TrainingWindow();
  const taps = configuredTaps(options, window);
  let session: ActivationsSession | undefined;

  // Steps are counted as loggers count them: the 100th step is logged as step 100.
  const isDue = ({ state }: HookContext) => state.step === 0 || (state.step + 1) % every === 0;
  const isOpen = (ctx: HookContext) => isDue(ctx) || taps.hasInterventions;
  const isDueBatch = ({ state }: HookContext) => state.batchIndex % every === 0;
  const openForBatch = (ctx: HookContext): void => window.open(ctx, isDueBatch(ctx));
  const closeBatch = when(isDueBatch, () => session?.batchDone());
  const actsIn = (stage: ActivationsStage) => stages.includes(stage);

  return {
    name: 'activations',
    // It taps the layers itself: from outside, nothing of it shows in a forward pass.
    kinds: ['lifecycle', 'forward'],
    taps,

    setup(ctx) {
      session = new ActivationsSession(ctx, taps, window);
    },
    ...(actsIn('train') && {
      onTrainBatchStart: when(isOpen, (ctx) => window.open(ctx, isDue(ctx))),
      onAfterBackward: when(isDue, () => session?.backwardDone()),
    }),
    ...(actsIn('validation') && { onValidationBatchStart: openForBatch, onValidationBatchEnd: closeBatch }),
    ...(actsIn('test') && { onTestBatchStart: openForBatch, onTestBatchEnd: closeBatch }),
    ...(actsIn('predict') && { onPredictBatchStart: openForBatch, onPredictBatchEnd: closeBatch }),
    async teardown() {
      await session?.close();
      session = undefined;
    },
  };
}
