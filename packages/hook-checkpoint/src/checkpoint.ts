import { type Hook, hookFactory, type OptionsSchema, when } from '@hookline/hook-api';
import { type CheckpointOptions, rulesOf, schema } from './options.js';
import { CheckpointReader } from './resume/checkpoint-reader.js';
import { joinProvider } from './resume/provider.js';
import { CheckpointSession } from './session.js';

/**
 * Saves checkpoints that survive crashes, and resumes from them to the bit.
 *
 * @example checkpoint({ monitor: 'val/accuracy', mode: 'max', every: { steps: 500 } })
 */
export const checkpoint: ((options?: CheckpointOptions) => Hook) & {
  readonly options: OptionsSchema<CheckpointOptions>;
} = hookFactory(schema, (options): Hook => {
  const rules = rulesOf(options);
  /** Of the fit that is running. */
  let session: CheckpointSession | undefined;

  return {
    name: 'checkpoint',
    onError: 'fail',
    writes: true,
    // A large model on a slow disk takes its time.
    timeout: Infinity,

    async setup(ctx, { stage }) {
      session = stage === 'fit' ? new CheckpointSession(ctx, rules) : undefined;
      if (!session) joinProvider(ctx, new CheckpointReader(ctx, rules));
      // Added or enabled in the middle of a run, it has missed onInit.
      if (ctx.state.status !== 'starting') await session?.open();
    },
    onCheckpointLoad: (_ctx, { reason, path }) => session?.resumed(reason, path),
    onInit: () => session?.open(),
    // Answered from `ctx` alone: a step at which nothing is due costs no device read.
    onStepEnd: when(
      ({ state }) => session?.isDue(state) ?? false,
      (_ctx, { step, metrics }) => session?.stepEnded(step, metrics),
    ),
    onValidationEnd: () => session?.validated(),
    onEpochEnd: () => session?.epochEnded(),
    onTrainEnd: () => session?.trainingEnded(),
    onException: (_ctx, { error }) => session?.failed(error),
    async teardown() {
      const ending = session;
      session = undefined;
      await ending?.close();
    },

    saveState: () => session?.saveState() ?? null,
    loadState: (state) => session?.loadState(state),
  };
});
