import { didYouMean, type JsonValue, type Metrics, type OptimizerView } from '@hookline/hook-api';
import { optimizerError } from '../errors.js';
import type { Segment } from './create-schedule.js';
import type { Plateau, PlateauState } from './plateau.js';

/** How far training has come. */
interface StepAndEpoch {
  readonly step: number;
  readonly epoch: number;
}

interface ScheduleState {
  /** Which schedule of the list is running. */
  index: number;
  /** Where it started. */
  since: StepAndEpoch;
  /** Each optimizer's learning rates at factor 1, by group. */
  base: readonly Readonly<Record<string, number>>[];
  plateau: PlateauState | null;
}

/** Writes the learning rate of every group: its configured rate times the factor of the current schedule. */
export class LrSchedule {
  readonly #segments: readonly Segment[];
  readonly #optimizers: readonly OptimizerView[];
  /** The state at the start of training. */
  readonly #first: ScheduleState;
  #state: ScheduleState;

  constructor(segments: readonly Segment[], optimizers: readonly OptimizerView[]) {
    this.#segments = segments;
    this.#optimizers = optimizers;
    const base = optimizers.map(({ groups }) => Object.fromEntries(groups.map(({ name, lr }) => [name, lr])));
    this.#first = { index: 0, since: { step: 0, epoch: 0 }, base, plateau: null };
    this.#state = this.#first;
  }

  /** Back to the first step. */
  restart(): void {
    this.#state = this.#first;
    this.apply({ step: 0, epoch: 0 });
  }

  /** Sets the learning rates for a step; may be called again for the same one. */
  apply(now: StepAndEpoch): void {
    this.#advance(now);
    const { since, base, plateau } = this.#state;
    const { unit, length, course } = this.#segment;
    // The last schedule stays at its end.
    const position = Math.min(now[unit] - since[unit], length);
    const factor = isPlateau(course) ? (plateau ?? course.start).factor : course(position);
    for (const [index, { groups }] of this.#optimizers.entries()) {
      for (const group of groups) group.lr = base[index]![group.name]! * factor;
    }
  }

  /**
   * Throws when a schedule watches a metric of validation that will never exist. `metrics` are the names there will be,
   * where they are known.
   */
  checkValidation(validated: boolean, metrics?: readonly string[]): void {
    for (const { course } of this.#segments) {
      if (!isPlateau(course) || !isOfValidation(course.monitor)) continue;
      if (!validated) {
        throw optimizerError(
          'BAD_SCHEDULE',
          `Schedule "plateau" watches "${course.monitor}", but there is no validation data. Give fit() validation, or watch "train/loss" with monitor.`,
        );
      }
      if (metrics && !metrics.includes(course.monitor)) throw noSuchMetric(course.monitor, metrics);
    }
  }

  /** Takes note of metrics: those of validation after each validation, all others at the end of an epoch. */
  observe(when: 'validation' | 'epoch', metrics: Metrics): void {
    const { course } = this.#segment;
    if (!isPlateau(course)) return;
    const { monitor } = course;
    if (isOfValidation(monitor) !== (when === 'validation')) return;
    const value = metrics[monitor];
    if (value === undefined) throw noSuchMetric(monitor, Object.keys(metrics));
    this.#state = { ...this.#state, plateau: course.next(this.#state.plateau ?? course.start, value) };
  }

  saveState(): JsonValue {
    return structuredClone(this.#state) as unknown as JsonValue;
  }

  loadState(saved: JsonValue): void {
    const state = structuredClone(saved) as unknown as ScheduleState;
    // Since then schedules may have been removed, and groups added.
    const index = Math.min(state.index, this.#segments.length - 1);
    const base = this.#first.base.map((rates, each) => ({ ...rates, ...state.base[each] }));
    this.#state = { ...state, index, base };
  }

  get #segment(): Segment {
    return this.#segments[this.#state.index]!;
  }

  /** Moves on to the schedule that is due. */
  #advance(now: StepAndEpoch): void {
    for (;;) {
      const { index, since } = this.#state;
      const { unit, length } = this.#segment;
      if (index === this.#segments.length - 1 || now[unit] - since[unit] < length) return;
      // In its own unit the next schedule starts exactly where this one ends; in the other unit, now.
      const began = { step: now.step, epoch: now.epoch, [unit]: since[unit] + length };
      this.#state = { ...this.#state, index: index + 1, since: began, plateau: null };
    }
  }
}

function noSuchMetric(monitor: string, metrics: readonly string[]): Error {
  return optimizerError(
    'BAD_SCHEDULE',
    `Schedule "plateau" watches "${monitor}", but there is no such metric.${didYouMean(monitor, metrics)} Metrics: ${metrics.join(', ')}.`,
  );
}

function isPlateau(course: Segment['course']): course is Plateau {
  return typeof course !== 'function';
}

function isOfValidation(metric: string): boolean {
  return metric.startsWith('val/');
}
