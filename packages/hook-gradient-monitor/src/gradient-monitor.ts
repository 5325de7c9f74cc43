import { type Hook, type HookContext, hookFactory, type OptionsSchema, when } from '@hookline/hook-api';
import { type GradientMonitorOptions, type GradientMonitorRules, rulesOf, schema } from './options.js';
import { GradientMonitorSession } from './session.js';
import { NO_EPISODES } from './trouble/episodes.js';
import { loadEpisodes, saveEpisodes } from './trouble/saved-episodes.js';

/**
 * Logs how gradients and updates are distributed, and warns about layers whose gradients vanish, explode or are no
 * longer finite.
 *
 * @example gradientMonitor({ every: 10, params: ['encoder', 'decoder'], gradients: 'both' })
 */
export const gradientMonitor: ((options?: GradientMonitorOptions) => Hook) & {
  readonly options: OptionsSchema<GradientMonitorOptions>;
} = hookFactory(schema, (options) => createHook(rulesOf(options)));

function createHook(rules: GradientMonitorRules): Hook {
  /** Of the fit that is running. */
  let session: GradientMonitorSession | undefined;
  // Steps are counted as loggers count them: the 100th step is logged as step 100.
  const isDue = ({ state }: HookContext) => state.step === 0 || (state.step + 1) % rules.every === 0;

  return {
    name: 'gradient-monitor',
    // All ranks have the same gradients.
    ranks: 'main',

    setup(ctx, { stage }) {
      session = stage === 'fit' ? new GradientMonitorSession(ctx, rules) : undefined;
    },
    onGradientsReady: when(isDue, (_ctx, event) => session?.gradientsReady(event)),
    onAfterOptimizerStep: when(isDue, (_ctx, event) => session?.optimizerStepped(event)),
    teardown() {
      session?.close();
      session = undefined;
    },

    saveState: () => saveEpisodes(session?.episodes ?? NO_EPISODES),
    loadState(state) {
      const episodes = loadEpisodes(this.name, state);
      if (session) session.episodes = episodes;
    },
  };
}
