import { type Hook, type HookContext, hookFactory, type OptionsSchema, when } from '@hookline/hook-api';
import { type DebugOptions, type DebugRules, rulesOf, schema } from './options.js';
import { DebugSession } from './session.js';

/**
 * Stops at the first NaN or infinity before it reaches the weights, says where it came from, and keeps a bundle that
 * replays it.
 *
 * @example debug({ nan: 'warn', every: 10, activations: true, shapes: true })
 */
export const debug: ((options?: DebugOptions) => Hook) & { readonly options: OptionsSchema<DebugOptions> } =
  hookFactory(schema, (options) => createHook(rulesOf(options)));

function createHook(rules: DebugRules): Hook {
  /** Of the fit that is running. */
  let session: DebugSession | undefined;
  const isDue = ({ state }: HookContext) => state.status === 'training' && state.step % rules.every === 0;

  return {
    name: 'debug',

    setup(ctx, { stage }) {
      session = stage === 'fit' ? new DebugSession(ctx, rules) : undefined;
    },
    onEpochStart: () => session?.epochStarted(),
    onTrainBatchStart: when(isDue, () => session?.batchStarted()),
    // After the hooks that change the batch, and before a wrong shape can end the run.
    ...(rules.shapes !== false && {
      onTrainBatchReady: (ctx, event) => session?.batchReady(event, isDue(ctx)),
    }),
    ...(rules.activations && { onForward: when(isDue, (_ctx, event) => session?.layerRan(event)) }),
    onBeforeBackward: when(isDue, (_ctx, { loss }) => session?.lossComputed(loss)),
    // Before the update: what is found now has not reached the weights.
    onAfterBackward: when(isDue, (_ctx, event) => session?.gradientsComputed(event)),
    onBeforeOptimizerStep: when(
      () => session?.refusesUpdate ?? false,
      (ctx) => ctx.skipStep(),
    ),
    onEpochEnd: () => session?.epochEnded(),
    teardown() {
      session?.close();
      session = undefined;
    },
  };
}
