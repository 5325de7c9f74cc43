import type {
  Hook,
  HookContext,
  HookEvents,
  HookLogger,
  HookManager,
  RestoreReport,
  SharedKey,
  SharedMap,
  Snapshot,
  TrainableModule,
  TrainingState,
} from '../src/index.js';

export interface LogLine {
  hook: string;
  level: 'debug' | 'info' | 'warn' | 'error';
  fields: Record<string, unknown>;
  message: string;
}

export interface TestRun {
  /** What the hooks see as `ctx.state`; tests move it on. */
  state: { -readonly [Name in keyof TrainingState]: TrainingState[Name] };
  /** Everything that was logged. */
  lines: LogLine[];
  contextFor(hook: Pick<Hook, 'name'>): HookContext;
}

/** The contexts of a run that exists only as far as the hook contract knows it. */
export function testRun({ seed = 1 }: { seed?: number } = {}): TestRun {
  const model: TrainableModule = { parameters: () => ({}), forward: (xs) => xs };
  const state: TestRun['state'] = {
    model,
    parameters: {},
    optimizers: [],
    stage: 'fit',
    status: 'training',
    backend: 'cpu',
    device: 'cpu',
    epoch: 0,
    completedEpochs: 0,
    step: 0,
    batchIndex: 0,
    latestLoss: Number.NaN,
    avgLoss: Number.NaN,
    modelParams: 0,
    elapsedSeconds: 0,
  };
  const lines: LogLine[] = [];
  const values = new Map<string, unknown>();
  const shared: SharedMap = {
    get: <Value>({ name }: SharedKey<Value>) => values.get(name) as Value | undefined,
    set: ({ name }, value) => void values.set(name, value),
    has: ({ name }) => values.has(name),
    delete: ({ name }) => values.delete(name),
  };
  const { signal } = new AbortController();
  const contextFor = ({ name }: Pick<Hook, 'name'>): HookContext => ({
    hook: name,
    state,
    metrics: {},
    run: {
      id: 'run',
      dir: 'runs/run',
      runsDir: 'runs',
      configHash: 'c',
      experiment: 'e',
      gitCommit: 'g',
      seed,
    },
    logger: collector(name, lines),
    shared,
    signal,
    log: () => {},
    seed: () => 1,
    stop: () => {},
    skipBatch: () => {},
    skipStep: () => {},
    requestCheckpoint: () => {},
    requestValidation: () => {},
    forward: (xs) => xs as never,
    markFailed: () => {},
    snapshot: async (): Promise<Snapshot> => ({ version: 1, model: {} }),
    restore: async (): Promise<RestoreReport> => ({ restored: [], missing: [], unexpected: [] }),
    checkpointSaved: () => {},
    phases: () => [],
    provideCheckpoints: () => {},
  });
  return { state, lines, contextFor };
}

export function stepEnd(step = 1): HookEvents['onStepEnd'] {
  return { step, loss: 0.5, metrics: {} };
}

/** 1, 2, ... up to and with `last`. */
export function range(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

/** Moves on to each of these steps and fires its `onStepEnd`. */
export async function walkSteps(
  manager: HookManager,
  { state }: TestRun,
  steps: Iterable<number>,
): Promise<void> {
  for (const step of steps) {
    state.step = step;
    state.batchIndex = step - 1;
    await manager.call('onStepEnd', stepEnd(step));
  }
}

function collector(hook: string, lines: LogLine[]): HookLogger {
  const write = (level: LogLine['level']) => (first: object | string, second?: string) => {
    const fields = typeof first === 'string' ? {} : (first as Record<string, unknown>);
    lines.push({ hook, level, fields, message: typeof first === 'string' ? first : (second ?? '') });
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => collector(hook, lines),
  };
}
