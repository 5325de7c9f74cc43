import type {
  CheckpointProvider,
  EventOfKind,
  HookEvents,
  HookLogger,
  HookManager,
  Metrics,
  RunInfo,
  TrainingState,
} from '@hookline/hook-api';
import type { BestEpoch } from '@hookline/hook-api/helpers';
import type { RandomGenerator } from '@hookline/numerics';
import type { LrSchedule, Optimizer, WeightAverage } from '@hookline/optimizers';
import type { Trainable } from '../model/trainable.js';
import type { World } from '../strategies/world.js';
import type { Cursor } from './cursor.js';
import type { HookTraces } from './hook-traces.js';
import type { Settings } from './settings.js';

export type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** A run, as far as snapshots know it. */
export interface Resumable {
  readonly parts: {
    readonly trainable: Trainable;
    readonly optimizers: readonly Optimizer[];
    readonly schedule?: LrSchedule | undefined;
    readonly random: RandomGenerator;
    readonly hooks: HookManager;
    readonly logger: HookLogger;
  };
  readonly state: Mutable<TrainingState>;
  readonly info: Mutable<RunInfo>;
  /** The ranks that train together; undefined when this process trains alone. */
  readonly world: World | undefined;
  readonly cursor: Cursor;
  readonly traces: HookTraces;
  readonly average: WeightAverage | undefined;
  readonly checkpoints: CheckpointProvider | undefined;
  best: BestEpoch | undefined;
  /** How the run trains; absent outside of a fit. */
  readonly settings: Settings | undefined;
  /** A hook asked for validation, and it has not been done yet. */
  readonly wantsValidation: boolean;
  /** Puts back when the run had begun, what was logged and not reported yet, and what was asked for and not done yet. */
  takeOver(before: {
    elapsedSeconds: number;
    metrics: Metrics;
    logged: Metrics;
    wantsValidation: boolean;
  }): void;
  fire<Name extends EventOfKind<'observe'>>(
    event: Name,
    payload: () => HookEvents[Name] | Promise<HookEvents[Name]>,
  ): void | Promise<void>;
}
