import type {
  Hook,
  HookContext,
  HookLogger,
  OptimizerGroupView,
  OptimizerView,
  SharedKey,
  SharedMap,
  TrainingState,
} from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { notHere } from '../errors.js';
import type { StartMessage, StateMessage, Verb } from '../messages.js';

/** What the main side knows of the run in the worker, and the contexts in which its hooks see it. */
export class Mirror {
  readonly shared: SharedMap = createShared();
  readonly #stopping = new AbortController();
  readonly #send: (verb: Verb) => void;
  readonly #logger: HookLogger;
  #start: StartMessage | undefined;
  #state: StateMessage | undefined;

  constructor(send: (verb: Verb) => void, logger: HookLogger) {
    this.#send = send;
    this.#logger = logger;
  }

  /** Of the latest event that hooks here were called for; undefined before the run. */
  get step(): number | undefined {
    return this.#state?.step;
  }

  update(state: StateMessage, start: StartMessage | undefined): void {
    this.#state = state;
    if (start) this.#start = start;
  }

  /** For `ctx.signal`. */
  stopping(): void {
    this.#stopping.abort();
  }

  contextFor(hook: Hook): HookContext {
    const { name } = hook;
    const mirror = this;
    const send = this.#send;
    const elsewhere = (what: string) => () => {
      throw notHere(name, what, 'Pass the hook to the Trainer in the training module.');
    };
    return Object.freeze({
      hook: name,
      state: this.#stateFor(name),
      get metrics() {
        return mirror.#known.metrics;
      },
      get run() {
        return mirror.#begun.run;
      },
      logger: this.#logger.child({ hook: name }),
      shared: this.shared,
      signal: this.#stopping.signal,
      log: (values) => send({ verb: 'log', values }),
      stop: (reason) => {
        send({ verb: 'stop', reason: reasonOf(reason) ?? `hook "${name}" stopped the run` });
        mirror.stopping();
      },
      markFailed: (reason) => send({ verb: 'markFailed', reason }),
      requestCheckpoint: (reason) =>
        send({ verb: 'requestCheckpoint', reason: reasonOf(reason) ?? `requested by hook "${name}"` }),
      requestValidation: () => send({ verb: 'requestValidation' }),
      phases: () => [],
      seed: elsewhere('ctx.seed()'),
      skipBatch: elsewhere('ctx.skipBatch()'),
      skipStep: elsewhere('ctx.skipStep()'),
      forward: elsewhere('ctx.forward()'),
      snapshot: elsewhere('ctx.snapshot()'),
      restore: elsewhere('ctx.restore()'),
      checkpointSaved: elsewhere('ctx.checkpointSaved()'),
      provideCheckpoints: elsewhere('ctx.provideCheckpoints()'),
    } satisfies HookContext);
  }

  #stateFor(hook: string): TrainingState {
    const mirror = this;
    const elsewhere = (what: string) =>
      notHere(hook, what, 'Pass the hook to the Trainer in the training module.');
    const state = {
      get model(): never {
        throw elsewhere('ctx.state.model');
      },
      get parameters(): never {
        throw elsewhere('ctx.state.parameters');
      },
      get optimizers() {
        return mirror.#known.optimizers.map((each, index) => mirror.#optimizerView(each, index));
      },
    };
    const sent = [
      'status',
      'epoch',
      'completedEpochs',
      'step',
      'batchIndex',
      'latestLoss',
      'avgLoss',
    ] as const;
    const fixed = ['stage', 'backend', 'device', 'modelParams'] as const;
    for (const name of [...sent, 'elapsedSeconds'] as const) define(state, name, () => mirror.#known[name]);
    for (const name of fixed) define(state, name, () => mirror.#begun[name]);
    return Object.freeze(state) as unknown as TrainingState;
  }

  /** Writing `lrScale` has the worker write it; the view shows it once it is so there. */
  #optimizerView({ name, groups }: OptimizerView, optimizer: number): OptimizerView {
    const send = this.#send;
    return {
      name,
      groups: groups.map((group, index) =>
        Object.freeze({
          ...group,
          get lrScale() {
            return group.lrScale;
          },
          set lrScale(value: number) {
            send({ verb: 'lrScale', optimizer, group: index, value });
          },
        } satisfies OptimizerGroupView),
      ),
    };
  }

  get #known(): StateMessage {
    return this.#state!;
  }

  get #begun(): StartMessage {
    return this.#start!;
  }
}

function createShared(): SharedMap {
  const values = new Map<string, unknown>();
  return {
    get: <Value>(key: SharedKey<Value>) => values.get(key.name) as Value | undefined,
    set: (key, value) => void values.set(key.name, value),
    has: (key) => values.has(key.name),
    delete: (key) => values.delete(key.name),
  };
}

function define(target: object, name: string, get: () => unknown): void {
  Object.defineProperty(target, name, { enumerable: true, get });
}

function reasonOf(reason: unknown): string | undefined {
  return reason === undefined || reason === null ? undefined : messageOf(reason).trim() || undefined;
}
