import { type HookContext, HookFatalError, type Metrics } from '@hookline/hook-api';
import { missingMetric } from '@hookline/hook-api/helpers';
import type { CheckpointRules } from '../options.js';
import type { Rating } from './ranking.js';

/**
 * Watches the metrics that rank checkpoints. A checkpoint is ranked by what was measured with its own weights, or not
 * at all: a `val/` value counts only at the step at which it was found.
 */
export class Monitor {
  /** The step of the last validation. */
  #validatedAt: number | undefined;
  /** The metrics of the last step, until the epoch has ended. */
  #step: { step: number; metrics: Metrics } | undefined;
  readonly #warnedOf = new Set<string>();
  /** How often a metric was NaN or infinite. */
  nonFinite = 0;

  constructor(
    private readonly ctx: HookContext,
    private readonly rules: CheckpointRules,
  ) {}

  noteStep(step: number, metrics: Metrics): void {
    this.#step = { step, metrics };
  }

  noteValidation(): void {
    this.#validatedAt = this.ctx.state.step;
  }

  noteEpoch(): void {
    this.#step = undefined;
  }

  get isValidated(): boolean {
    return this.#validatedAt === this.ctx.state.step;
  }

  /** The metrics as of this very step. */
  get values(): Metrics {
    const { metrics, state } = this.ctx;
    const known = { ...metrics, ...(this.#step?.step === state.step && this.#step.metrics) };
    if (this.isValidated) return known;
    return Object.fromEntries(Object.entries(known).filter(([name]) => !name.startsWith('val/')));
  }

  /** How a checkpoint of this moment rates, by each metric that is known and finite. */
  rate(): Rating[] {
    const { values } = this;
    return this.rules.monitors.flatMap(({ monitor, mode }) => {
      const value = values[monitor];
      if (value === undefined) return [];
      if (Number.isFinite(value)) return [{ monitor, mode, value }];
      this.nonFinite++;
      refuse(
        this.ctx,
        this.rules.onNonFinite,
        `${monitor} is ${value}: this checkpoint is not ranked by it.`,
      );
      return [];
    });
  }

  /** Speaks up when a metric that the user named is not there after an epoch. */
  checkPresence(): void {
    // A run that is being stopped leaves its last validation out.
    if (!this.rules.monitorIsNamed || this.ctx.signal.aborted) return;
    for (const { monitor } of this.rules.monitors) {
      if (!(monitor in this.ctx.metrics)) this.#reportMissing(monitor);
    }
  }

  #reportMissing(monitor: string): void {
    const { hook, metrics, logger } = this.ctx;
    const message = missingMetric(hook, monitor, Object.keys(metrics));
    if (this.#validatedAt !== undefined || !monitor.startsWith('val/')) {
      throw new HookFatalError(`${message} Set "monitor" to one of them.`);
    }
    if (!this.#warnedOf.has(monitor)) {
      logger.warn(`${message} The run has not validated yet: waiting for it.`);
    }
    this.#warnedOf.add(monitor);
  }
}

/** Something is NaN or infinite: reports it, and does what `onNonFinite` says. */
export function refuse(ctx: HookContext, onNonFinite: CheckpointRules['onNonFinite'], message: string): void {
  if (onNonFinite === 'error') throw new HookFatalError(`${ctx.hook}: ${message}`);
  ctx.logger.warn(message);
  if (onNonFinite !== 'stop') return;
  ctx.markFailed(`${ctx.hook}: ${message}`);
  ctx.stop(`${ctx.hook}: ${message}`);
}
