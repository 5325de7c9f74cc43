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
  TrainingState,
} from '@hookline/hook-api';
import { deriveSeed } from '@hookline/numerics';
import type { Wishes } from './wishes.js';

/** The part of a run that hooks see and act on. */
export interface ContextSource {
  readonly state: TrainingState;
  readonly metrics: Metrics;
  readonly info: RunInfo;
  readonly shared: SharedMap;
  readonly signal: AbortSignal;
  readonly logger: HookLogger;
  readonly wishes: Wishes;
  /** The event that hooks were last called for. */
  readonly lastEvent: string | undefined;
  checkpoints: CheckpointProvider | undefined;
  log(values: Metrics): void;
  stop(reason: string): void;
  snapshot(options?: SnapshotOptions): Promise<Snapshot>;
  restore(snapshot: Snapshot, options?: { strict?: boolean }): Promise<RestoreReport>;
  checkpointSaved(checkpoint: { reason: string; path: string }): void | Promise<void>;
}

/** Makes the context of each hook: that of the run, with the hook's name, logger and seed. */
export function contextMaker(run: ContextSource): (hook: Hook) => HookContext {
  const shared = runContext(run);
  return ({ name }) => {
    const logger = run.logger.child({ hook: name });
    const seed: HookContext['seed'] = (...keys) =>
      deriveSeed(run.info.seed, name, run.state.step, run.state.batchIndex, ...keys);
    return Object.assign(Object.create(shared) as HookContext, { hook: name, logger, seed });
  };
}

function runContext(run: ContextSource): Omit<HookContext, 'hook' | 'logger' | 'seed'> {
  const { wishes } = run;
  return {
    state: run.state,
    metrics: run.metrics,
    run: run.info,
    shared: run.shared,
    signal: run.signal,
    log: (values) => run.log(values),
    stop: (reason) => run.stop(reason),
    skipBatch: () => skip(run, 'skipBatch', 'onTrainBatchStart'),
    skipStep: () => skip(run, 'skipStep', 'onBeforeOptimizerStep'),
    requestCheckpoint: (reason) => {
      wishes.checkpoint ??= reason;
    },
    requestValidation: () => {
      wishes.validation = true;
    },
    snapshot: (options) => run.snapshot(options),
    restore: (snapshot, options) => run.restore(snapshot, options),
    checkpointSaved: (checkpoint) => run.checkpointSaved(checkpoint),
    provideCheckpoints: (provider) => {
      run.checkpoints = provider;
    },
    get checkpoints() {
      return run.checkpoints;
    },
  };
}

/** A verb that works in one event only: anywhere else it would do nothing, silently. */
function skip({ wishes, lastEvent, logger }: ContextSource, wish: 'skipBatch' | 'skipStep', place: string) {
  if (lastEvent === place) wishes[wish] = true;
  else logger.warn(`ctx.${wish}() does nothing in ${lastEvent}: call it in ${place}.`);
}
