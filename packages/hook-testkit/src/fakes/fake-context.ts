import type { HookContext, Metrics, RunInfo, SharedKey, SharedMap, TrainingState } from '@hookline/hook-api';
import { fakeLogger, type LogLine } from './fake-logger.js';

export interface FakeContextOptions {
  /** The name of the hook that gets the context. */
  hook?: string;
  state?: Partial<TrainingState>;
  run?: Partial<RunInfo>;
  /** The latest value of every metric. */
  metrics?: Metrics;
}

export interface FakeContext {
  readonly ctx: HookContext;
  /** What `ctx.state` says: change it between events, as a trainer does. */
  readonly state: { -readonly [Field in keyof TrainingState]: TrainingState[Field] };
  readonly logged: LogLine[];
  /** The reasons that were given to `ctx.stop`. */
  readonly stopped: string[];
  /** The values that were given to `ctx.log`. */
  readonly values: Metrics[];
  /** The other verbs that were used, in order. */
  readonly verbs: string[];
}

/** A context without a trainer: it says what the test says, and keeps what the hook does with it. */
export function fakeContext(options: FakeContextOptions = {}): FakeContext {
  const { hook = 'my-hook', state, run, metrics = {} } = options;
  const logger = fakeLogger();
  const stopped: string[] = [];
  const values: Metrics[] = [];
  const verbs: string[] = [];
  const current = { ...IDLE, ...state } as FakeContext['state'];
  const verb = (name: string) => () => void verbs.push(name);
  const ctx = {
    hook,
    state: current,
    run: { ...RUN, ...run },
    metrics,
    logger,
    shared: sharedMap(),
    signal: new AbortController().signal,
    log: (logged: Metrics) => void values.push(logged),
    stop: (reason: string) => void stopped.push(reason),
    seed: () => 1,
    markFailed: verb('markFailed'),
    skipBatch: verb('skipBatch'),
    skipStep: verb('skipStep'),
    requestCheckpoint: verb('requestCheckpoint'),
    requestValidation: verb('requestValidation'),
    provideCheckpoints: verb('provideCheckpoints'),
    phases: () => [],
  } as Partial<HookContext> as HookContext;
  return { ctx, state: current, logged: logger.lines, stopped, values, verbs };
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
