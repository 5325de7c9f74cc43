import type {
  EventName,
  Hook,
  HookContext,
  HookEvents,
  Metrics,
  RunInfo,
  SharedKey,
  SharedMap,
  TrainingState,
} from '@hookline/hook-api';
import { collectingLogger, type LogLine } from '@hookline/test-support/collecting-logger';

export interface DrivenOptions {
  state?: Partial<TrainingState>;
  run?: Partial<RunInfo>;
  /** The latest value of every metric. */
  metrics?: Metrics;
}

export interface DrivenHook {
  readonly ctx: HookContext;
  /** What `ctx.state` says: change it between events, as a trainer does. */
  readonly state: { -readonly [Field in keyof TrainingState]: TrainingState[Field] };
  /** Calls the hook's method, where it has one, and returns what that returns. */
  fire<Name extends EventName>(event: Name, payload: HookEvents[Name]): ReturnType<NonNullable<Hook[Name]>>;
  readonly logged: LogLine[];
  /** The reasons that were given to `ctx.stop`. */
  readonly stopped: string[];
  /** The values that were given to `ctx.log`. */
  readonly values: Metrics[];
}

/**
 * One hook without a trainer: the test says what the run looks like and fires the events. Filters such as `every` and
 * `when` are not asked; what a hook does in a real run is for `tinyRun`.
 */
export function drivenHook(hook: Hook, { state, run, metrics = {} }: DrivenOptions = {}): DrivenHook {
  const logger = collectingLogger();
  const stopped: string[] = [];
  const values: Metrics[] = [];
  const current = { ...IDLE, ...state } as DrivenHook['state'];
  const ctx = {
    hook: hook.name,
    state: current,
    run: { ...RUN, ...run },
    metrics,
    logger,
    shared: sharedMap(),
    signal: new AbortController().signal,
    log: (logged: Metrics) => void values.push(logged),
    stop: (reason: string) => void stopped.push(reason),
    markFailed: () => {},
    seed: () => 1,
    skipBatch: () => {},
    skipStep: () => {},
    requestCheckpoint: () => {},
    requestValidation: () => {},
    provideCheckpoints: () => {},
  } as Partial<HookContext> as HookContext;
  return {
    ctx,
    state: current,
    logged: logger.lines,
    stopped,
    values,
    fire: (event, payload) => {
      const method = hook[event] as ((ctx: HookContext, payload: unknown) => never) | undefined;
      return method?.call(hook, ctx, payload) as never;
    },
  };
}

const IDLE: Partial<TrainingState> = {
  stage: 'fit',
  status: 'training',
  backend: 'cpu',
  device: 'cpu',
  optimizers: [],
  parameters: {},
  epoch: 0,
  completedEpochs: 0,
  step: 0,
  batchIndex: 0,
  latestLoss: Number.NaN,
  avgLoss: Number.NaN,
  modelParams: 0,
  elapsedSeconds: 0,
};

const RUN: RunInfo = {
  id: 'driven-run',
  dir: undefined,
  runsDir: '/does/not/exist',
  configHash: 'hash',
  experiment: 'experiment',
  gitCommit: 'commit',
  seed: 1,
};

function sharedMap(): SharedMap {
  const map = new Map<string, unknown>();
  return {
    get: <Value>({ name }: SharedKey<Value>) => map.get(name) as Value | undefined,
    set: ({ name }, value) => void map.set(name, value),
    has: ({ name }) => map.has(name),
    delete: ({ name }) => map.delete(name),
  };
}
