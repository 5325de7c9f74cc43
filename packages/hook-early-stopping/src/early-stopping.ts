import { type Hook, type HookContext, hookFactory, type OptionsSchema } from '@hookline/hook-api';
import { type EarlyStoppingOptions, rulesOf, schema } from './options.js';
import { StoppingSession } from './session.js';

/**
 * Stops the run when a metric stops improving, and says why.
 *
 * @example earlyStopping({ monitor: 'val/accuracy', mode: 'max', patience: 5, restoreBest: true })
 */
export const earlyStopping: ((options?: EarlyStoppingOptions) => Hook) & {
  readonly options: OptionsSchema<EarlyStoppingOptions>;
} = hookFactory(schema, (options): Hook => {
  const rules = rulesOf(options);
  let session = new StoppingSession(rules);
  const noteCheckpoint = (ctx: HookContext, { path }: { path: string }): void =>
    session.noteCheckpoint(ctx, path);

  return {
    name: 'early-stopping',
    // Copies all weights, or reads them from a checkpoint.
    ...(rules.restoreBest && { timeout: Infinity }),

    setup(_ctx, { stage }) {
      if (stage === 'fit') session = new StoppingSession(rules);
    },
    onValidationEnd: (ctx, event) => session.validated(ctx, event),
    onEpochEnd: (ctx, event) => session.epochEnded(ctx, event),
    async teardown(ctx, { stage }) {
      if (stage === 'fit') await session.ended(ctx);
    },

    saveState: () => session.save(),
    loadState(state) {
      session.load(this.name, state);
    },

    // Only here: a hook that listens to onBeforeCheckpointSave makes every save call it.
    ...(rules.restoreBest === 'checkpoint' && {
      onTrainStart: (ctx) => session.trainingStarted(ctx),
      onBeforeCheckpointSave: noteCheckpoint,
      onCheckpointLoad: noteCheckpoint,
    }),
  };
});
