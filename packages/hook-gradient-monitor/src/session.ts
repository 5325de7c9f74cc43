import type {
  AfterOptimizerStepEvent,
  Gradients,
  GradientsReadyEvent,
  HookContext,
} from '@hookline/hook-api';
import { leaveHistograms } from '@hookline/hook-api/helpers';
import { isHostBackend } from '@hookline/numerics';
import { listSome } from './list-some.js';
import { DeviceRecorder } from './measure/device-recorder.js';
import { Distributions } from './measure/distributions.js';
import { HostRecorder } from './measure/host-recorder.js';
import type { GradientView, Measurement, Readings, Recorder, Wanted } from './measure/recorder.js';
import type { GradientMonitorRules } from './options.js';
import { prefixesOf } from './report/metric-names.js';
import { type Reporter, reporter } from './report/report.js';
import { selectParameters } from './select-parameters.js';
import { announce } from './trouble/announce.js';
import { type Episodes, judge, NO_EPISODES } from './trouble/episodes.js';
import { byLayer } from './trouble/layers.js';

const ONLY_NORM: Wanted = { zeros: false, moments: false, distribution: false };

/** What is known about the gradients of one fit, and the measurements of the step that is being looked at. */
export class GradientMonitorSession {
  episodes: Episodes = NO_EPISODES;
  readonly #selected: ReadonlySet<string>;
  readonly #wanted: Wanted;
  readonly #distributions: Distributions;
  readonly #reportOf: Reporter;
  #recorder: Recorder | undefined;
  #hasWarned = false;

  constructor(
    private readonly ctx: HookContext,
    private readonly rules: GradientMonitorRules,
  ) {
    this.#selected = selectParameters(ctx.hook, rules.params, Object.keys(ctx.state.parameters));
    this.#wanted = wantedBy(rules);
    this.#distributions = new Distributions(rules);
    this.#reportOf = reporter(rules, prefixesOf(ctx.hook));
  }

  gradientsReady({ gradients, unclipped }: GradientsReadyEvent): void {
    this.close();
    this.#recorder = isHostBackend(this.ctx.state.backend)
      ? new HostRecorder(this.#distributions)
      : new DeviceRecorder(this.#distributions);
    this.#wholly(this.#recorder, (recorder) => {
      this.#measure(recorder, 'raw', unclipped);
      this.#measure(recorder, 'applied', gradients);
      if (this.rules.stats.includes('update-ratio')) this.#holdWeights(recorder, gradients);
    });
  }

  /** Reports with the last optimizer: several of them make one step. */
  optimizerStepped({ gradients, optimizerIndex }: AfterOptimizerStepEvent): void | Promise<void> {
    const recorder = this.#recorder;
    if (!recorder) return;
    const { parameters, optimizers } = this.ctx.state;
    this.#wholly(recorder, () => {
      for (const path of Object.keys(gradients)) recorder.weightAfter(path, parameters[path]!);
    });
    if (optimizerIndex === optimizers.length - 1) return this.#finish(recorder);
  }

  /** Drops what was measured of a step that was not finished. */
  close(): void {
    this.#recorder?.dispose();
    this.#recorder = undefined;
  }

  #measure(recorder: Recorder, view: GradientView, gradients: Gradients): void {
    const views = this.rules.gradients;
    if (views !== view && views !== 'both') return;
    for (const [path, gradient] of Object.entries(gradients)) {
      recorder.gradient(view, path, gradient, this.#selected.has(path) ? this.#wanted : ONLY_NORM);
    }
  }

  #holdWeights(recorder: Recorder, gradients: Gradients): void {
    const { parameters } = this.ctx.state;
    for (const path of Object.keys(gradients)) {
      if (this.#selected.has(path)) recorder.weightBefore(path, parameters[path]!);
    }
  }

  /** When measuring fails, nothing is logged: a part of the step's numbers would pass for the whole. */
  #wholly(recorder: Recorder, work: (recorder: Recorder) => void): void {
    try {
      work(recorder);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #finish(recorder: Recorder): void | Promise<void> {
    this.#recorder = undefined;
    const readings = recorder.read();
    if (readings instanceof Promise) {
      return readings.then((read) => this.#tell(read)).finally(() => recorder.dispose());
    }
    // Without a promise where the device need not be asked: every step that is due pays for it.
    recorder.dispose();
    this.#tell(readings);
  }

  #tell(readings: Readings): void {
    const { ctx, rules } = this;
    const step = ctx.state.step + 1;
    const judged = rules.gradients === 'applied' ? 'applied' : 'raw';
    const seen = readings.gradients.filter(({ view }) => view === judged);
    const verdict = judge(this.episodes, byLayer(seen, this.#selected), rules, step);
    announce(ctx.logger, verdict, this.episodes, rules, step);
    this.episodes = verdict.episodes;
    const { values, histograms } = this.#reportOf(readings, this.#selected, verdict.episodes, step);
    if (Object.keys(values).length > 0) ctx.log(values);
    if (rules.histogram) leaveHistograms(ctx.shared, histograms);
    this.#warnWhenBlind(seen);
  }

  #warnWhenBlind(seen: readonly Measurement[]): void {
    if (this.#hasWarned || seen.some(({ path }) => this.#selected.has(path))) return;
    this.#hasWarned = true;
    this.ctx.logger.warn(
      `No gradient reaches the monitored parameters: ${listSome([...this.#selected], 8)}. ` +
        'They are frozen, or the loss does not depend on them.',
    );
  }
}

function wantedBy({ stats, percentiles, histogram }: GradientMonitorRules): Wanted {
  return {
    zeros: stats.includes('zeros'),
    moments: (['min', 'max', 'mean', 'std'] as const).some((stat) => stats.includes(stat)),
    distribution: histogram || percentiles.length > 0,
  };
}
