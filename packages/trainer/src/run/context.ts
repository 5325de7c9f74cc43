import type {
  CheckpointProvider,
  Hook,
  HookContext,
  HookLogger,
  Metrics,
  RestoreReport,
  RunInfo,
  SharedMap,
  Snapshot,
  SnapshotOptions,
  TensorTree,
  TrainingState,
} from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { deriveSeed } from '@hookline/numerics';
import { kindOf, trainerError } from '../errors.js';
import type { Ending } from './ending.js';
import type { HookWatch } from './hook-watch.js';
import type { Phases } from './phases.js';
import { readOnlyView, stateViews } from './read-only.js';
import type { Wishes } from './wishes.js';

/** The part of a run that hooks see and act on. */
export interface ContextSource {
  readonly state: TrainingState;
  readonly metrics: Metrics;
  readonly info: RunInfo;
  readonly shared: SharedMap;
  readonly logger: HookLogger;
  readonly wishes: Wishes;
  readonly ending: Ending;
  readonly watch: HookWatch;
  readonly phases: Phases;
  /** The event that hooks were last called for. */
  readonly lastEvent: string | undefined;
  checkpoints: CheckpointProvider | undefined;
  log(values: Metrics, hook: string): void;
  forward(xs: TensorTree): TensorTree;
  snapshot(options?: SnapshotOptions): Promise<Snapshot>;
  restore(snapshot: Snapshot, options?: { strict?: boolean }): Promise<RestoreReport>;
  checkpointSaved(checkpoint: { reason: string; path: string }): void | Promise<void>;
}

/** Makes the context of each hook: what all hooks share, and what carries the name of this one. */
export function contextMaker(run: ContextSource): (hook: Hook) => HookContext {
  const shared = sharedContext(run);
  const stateFor = stateViews(run.state);
  return (hook) => {
    const { name } = hook;
    const own: OwnContext = {
      hook: name,
      watch: (event, returned) => run.watch.over(hook, event, returned),
      state: stateFor(name),
      metrics: readOnlyView(run.metrics, 'ctx.metrics', name),
      run: readOnlyView(run.info, 'ctx.run', name),
      logger: run.logger.child({ hook: name }),
      seed: (...keys) => deriveSeed(run.info.seed, name, run.state.step, run.state.batchIndex, ...keys),
      stop: (reason) => run.ending.stop(reasonOf(reason) ?? `hook "${name}" stopped the run`),
      markFailed: (reason) => run.ending.markFailed(reasonOf(reason) ?? `hook "${name}" marked it as failed`),
      skipBatch: () => skip(run, 'skipBatch', 'onTrainBatchStart', name),
      skipStep: () => skip(run, 'skipStep', 'onBeforeOptimizerStep', name),
      log: (values) => run.log(values, name),
      phases: () => run.phases.take(name),
      requestCheckpoint: (reason) => {
        run.wishes.checkpoints.add(reasonOf(reason) ?? `requested by hook "${name}"`);
      },
    };
    return Object.freeze(Object.assign(Object.create(shared) as HookContext, own));
  };
}

type OwnContext = Pick<
  HookContext,
  | 'hook'
  | 'watch'
  | 'state'
  | 'metrics'
  | 'run'
  | 'logger'
  | 'seed'
  | 'stop'
  | 'markFailed'
  | 'skipBatch'
  | 'skipStep'
  | 'requestCheckpoint'
  | 'log'
  | 'phases'
>;

function sharedContext(run: ContextSource): Omit<HookContext, keyof OwnContext> {
  const { wishes } = run;
  return Object.freeze({
    shared: run.shared,
    signal: run.ending.signal,
    requestValidation: () => {
      wishes.validation = true;
    },
    // What the model gives is known to whoever asks, not here.
    forward: (xs) => run.forward(xs) as never,
    snapshot: (options?: SnapshotOptions) => run.snapshot(options),
    restore: (snapshot: Snapshot, options?: { strict?: boolean }) => run.restore(snapshot, options),
    checkpointSaved: (checkpoint: { reason: string; path: string }) => run.checkpointSaved(checkpoint),
    provideCheckpoints: (provider: CheckpointProvider) => {
      run.checkpoints = usable(provider);
    },
    get enter() {
      return run.phases.enter;
    },
    get checkpoints() {
      return run.checkpoints;
    },
  });
}

/** Otherwise the next save would fail, in the name of nobody. */
function usable(provider: CheckpointProvider): CheckpointProvider {
  const { find, load, save } = Object(provider) as Partial<CheckpointProvider>;
  if ([find, load, save].every((method) => typeof method === 'function')) return provider;
  throw trainerError(
    'BAD_OPTIONS',
    `ctx.provideCheckpoints was given ${kindOf(provider)}, expected { find, load, save }.`,
  );
}

/** What was given as a reason, where that says anything: an error is one too. */
export function reasonOf(reason: unknown): string | undefined {
  return reason === undefined || reason === null ? undefined : messageOf(reason).trim() || undefined;
}

/** A verb that works in one event only: anywhere else it would do nothing, silently. */
function skip(
  { wishes, lastEvent, logger }: ContextSource,
  wish: 'skipBatch' | 'skipStep',
  place: string,
  hook: string,
): void {
  if (lastEvent !== place) {
    logger.warn(`ctx.${wish}() of hook "${hook}" does nothing in ${lastEvent}: call it in ${place}.`);
    return;
  }
  wishes[wish] = true;
  if (wish === 'skipBatch') wishes.skippers.add(hook);
}
