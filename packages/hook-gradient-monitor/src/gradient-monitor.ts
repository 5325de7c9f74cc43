import { type Gradients, type Hook, type HookContext, type OptionsSchema, when } from '@hookline/hook-api';
import { leaveHistograms } from '@hookline/hook-api/helpers';
import { isHostBackend } from '@hookline/numerics';
import { announce } from './announce.js';
import { DeviceRecorder } from './device-recorder.js';
import { Distributions } from './distributions.js';
import { judge, NO_EPISODES } from './episodes.js';
import { HostRecorder } from './host-recorder.js';
import { byLayer } from './layers.js';
import { listSome } from './list-some.js';
import { type GradientMonitorOptions, type GradientMonitorRules, rulesOf, schema } from './options.js';
import type { GradientView, Readings, Recorder, Wanted } from './recorder.js';
import { reporter } from './report.js';
import { loadEpisodes, saveEpisodes } from './saved-episodes.js';
import { selectParameters } from './select-parameters.js';

/**
 * Logs how gradients and updates are distributed, and warns of layers whose gradients vanish, explode or are no
 * longer finite.
 *
 * @example gradientMonitor({ every: 10, params: ['encoder', 'decoder'], gradients: 'both' })
 */
export const gradientMonitor: ((options?: GradientMonitorOptions) => Hook) & {
  readonly options: OptionsSchema;
} = Object.assign((options: GradientMonitorOptions = {}): Hook => createHook(rulesOf(options)), {
  options: schema,
});

const ONLY_NORM: Wanted = { zeros: false, moments: false, distribution: false };

function createHook(rules: GradientMonitorRules): Hook {
  const { every, gradients: views, stats } = rules;
  const watchesMovement = stats.includes('update-ratio');
  const everything = wantedBy(rules);
  const distributions = new Distributions(rules);
  const reportOf = reporter(rules);
  let selected: ReadonlySet<string> = new Set();
  let episodes = NO_EPISODES;
  let hasWarned = false;
  /** Of the step that is being looked at. */
  let recorder: Recorder | undefined;
  let failure: { error: unknown } | undefined;

  // Steps are counted as loggers count them: the 100th step is logged as step 100.
  const isDue = ({ state }: HookContext) => state.step === 0 || (state.step + 1) % every === 0;

  const drop = (): void => {
    recorder?.dispose();
    recorder = undefined;
  };
  const measure = (view: GradientView, gradients: Gradients): void => {
    if (views !== view && views !== 'both') return;
    for (const [path, gradient] of Object.entries(gradients))
      recorder?.gradient(view, path, gradient, selected.has(path) ? everything : ONLY_NORM);
  };
  // A part of the step's numbers would pass for the whole.
  const wholly = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      drop();
      throw error;
    }
  };
  const moving = (gradients: Gradients): string[] =>
    watchesMovement ? Object.keys(gradients).filter((path) => selected.has(path)) : [];

  const tell = (ctx: HookContext, readings: Readings): void => {
    const step = ctx.state.step + 1;
    const { values, histograms } = reportOf(readings, selected, step);
    const seen = readings.gradients.filter(({ view }) => view === (views === 'applied' ? 'applied' : 'raw'));
    const verdict = judge(episodes, byLayer(seen, selected), rules, step);
    announce(ctx.logger, verdict, episodes, rules, step);
    episodes = verdict.episodes;
    for (const trouble of ['vanishing', 'exploding'] as const) {
      if (rules[trouble] !== false) values[`grad/${trouble}`] = episodes[trouble].size;
    }
    if (Object.keys(values).length > 0) ctx.log(values);
    if (rules.histogram) leaveHistograms(ctx.shared, histograms);
    if (hasWarned || seen.some(({ path }) => selected.has(path))) return;
    hasWarned = true;
    ctx.logger.warn(
      `gradient-monitor sees no gradient of the parameters it was told to look at: ${listSome([...selected], 8)}. ` +
        'They are frozen, or the loss does not depend on them.',
    );
  };

  const finish = (ctx: HookContext): void | Promise<void> => {
    const current = recorder;
    recorder = undefined;
    if (!current) return;
    const readings = current.read();
    if (!(readings instanceof Promise)) return tell(ctx, readings);
    return readings.then((read) => tell(ctx, read)).finally(() => current.dispose());
  };

  return {
    name: 'gradient-monitor',

    setup({ state }, { stage }) {
      if (stage !== 'fit') return;
      selected = selectParameters(rules.params, Object.keys(state.parameters));
      episodes = NO_EPISODES;
      hasWarned = false;
    },

    // The gradients of the step as they are before clipping. An error here would end the run, as it must for hooks
    // that change gradients; this one only looks, so its errors are kept for an event that can fail alone.
    transformGradients: when(isDue, ({ state }, { gradients }) => {
      drop();
      try {
        recorder = isHostBackend(state.backend)
          ? new HostRecorder(distributions)
          : new DeviceRecorder(distributions);
        wholly(() => measure('raw', gradients));
      } catch (error) {
        failure = { error };
      }
      return undefined;
    }),

    onBeforeOptimizerStep: when(isDue, ({ state }, { gradients }) =>
      wholly(() => {
        measure('applied', gradients);
        for (const path of moving(gradients)) recorder?.weightBefore(path, state.parameters[path]!);
      }),
    ),

    onAfterOptimizerStep: when(isDue, (ctx, { gradients, optimizerIndex }) => {
      const failed = failure;
      failure = undefined;
      if (failed) throw failed.error;
      return wholly(() => {
        for (const path of moving(gradients)) recorder?.weightAfter(path, ctx.state.parameters[path]!);
        const isLast = optimizerIndex === ctx.state.optimizers.length - 1;
        return isLast ? finish(ctx) : undefined;
      });
    }),

    teardown() {
      drop();
    },

    saveState: () => saveEpisodes(episodes),
    loadState(state) {
      episodes = loadEpisodes(state);
    },
  };
}

function wantedBy({ stats, percentiles, histogram }: GradientMonitorRules): Wanted {
  return {
    zeros: stats.includes('zeros'),
    moments: (['min', 'max', 'mean', 'std'] as const).some((stat) => stats.includes(stat)),
    distribution: histogram || percentiles.length > 0,
  };
}
