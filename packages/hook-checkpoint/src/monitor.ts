import { didYouMean, type HookContext, HookFatalError, type Metrics } from '@hookline/hook-api';
import type { CheckpointRules } from './options.js';
import type { Rating } from './ranking.js';

/**
 * Watches the metric that ranks checkpoints. A checkpoint is ranked by what was measured with its own weights, or not
 * at all: a `val/` value counts only at the step at which it was found.
 */
export class Monitor {
  /** The step of the last validation. */
  #validatedAt: number | undefined;
  /** What the last step came to, until the epoch has ended. */
  #step: { step: number; metrics: Metrics } | undefined;
  #hasWarned = false;
  /** How often it was NaN or infinite. */
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

  /** What a checkpoint of this moment is worth; undefined when that is not known, or not finite. */
  rate(): Rating | undefined {
    const { monitor, mode, onNonFinite } = this.rules;
    const value = this.values[monitor];
    if (value === undefined) return undefined;
    if (Number.isFinite(value)) return { monitor, mode, value };
    this.nonFinite++;
    refuse(this.ctx, onNonFinite, `${monitor} is ${value}: this checkpoint is none of the best.`);
    return undefined;
  }

  /** Speaks up when the metric that the user named is not there after an epoch. */
  checkPresence(): void {
    const { monitor, monitorIsNamed } = this.rules;
    const { metrics, signal, logger } = this.ctx;
    // A run that is being stopped leaves its last validation out.
    if (!monitorIsNamed || monitor in metrics || signal.aborted) return;
    const names = Object.keys(metrics);
    const message =
      `checkpoint monitors "${monitor}", but there is no such metric.${didYouMean(monitor, names)} ` +
      `Metrics there are: ${names.join(', ') || 'none'}.`;
    if (this.#validatedAt !== undefined || !monitor.startsWith('val/')) {
      throw new HookFatalError(`${message} Set "monitor" to one of them.`);
    }
    if (!this.#hasWarned) logger.warn(`${message} There was no validation yet: waiting for it.`);
    this.#hasWarned = true;
  }
}

/** Something is NaN or infinite: says so, and does what the user wants done then. */
export function refuse(ctx: HookContext, onNonFinite: CheckpointRules['onNonFinite'], message: string): void {
  if (onNonFinite === 'error') throw new HookFatalError(`checkpoint: ${message}`);
  ctx.logger.warn(message);
  if (onNonFinite === 'stop') ctx.stop(`checkpoint: ${message}`);
}
