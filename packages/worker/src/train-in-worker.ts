import { didYouMean, type Hook, type HookLogger, HookManager } from '@hookline/hook-api';
import { checkKeys, messageOf, terminalKey } from '@hookline/hook-api/helpers';
import type { FitResult } from '@hookline/trainer';
import { host } from '#host';
import { workerDied, workerError } from './errors.js';
import type { WorkerStart } from './host/contract.js';
import { eventsOf } from './main/check-hooks.js';
import { EventPump } from './main/event-pump.js';
import { lineLogger } from './main/logger.js';
import { Mirror } from './main/mirror.js';
import {
  type FromWorker,
  MARK,
  TENSOR_FIELDS,
  type TensorField,
  type ToWorker,
  type TrainMessage,
  type Verb,
} from './messages.js';
import { fromPlain } from './plain-error.js';

export interface TrainInWorkerOptions {
  /** What the function given to `defineTraining` gets; anything that a message can hold. */
  settings?: unknown;
  /** Hooks that run on this side: they see the events of the run, and can use the verbs of `ctx`. */
  hooks?: readonly Hook[];
  /** The fields of events whose tensors are copied to this side; none by default. */
  tensors?: readonly TensorField[];
  /** `false`: does not listen for SIGINT, SIGTERM and SIGHUP. By default the first one ends the run cleanly. */
  signals?: boolean;
  /** Receives what hooks of this side log; a pino logger will do. */
  logger?: HookLogger;
}

/** The result of the fit, and what can be done until then. */
export interface WorkerTraining extends Promise<FitResult> {
  /** Ends the run after its current batch. */
  stop(reason?: string): void;
  requestCheckpoint(reason?: string): void;
  requestValidation(): void;
  /** Ends the worker at once; what was not saved is lost, and the promise rejects with WORKER_DIED. */
  terminate(): void;
  /** Events that hooks of this side have missed because they were too slow. */
  readonly leftOut: number;
}

const KEYS: readonly (keyof TrainInWorkerOptions)[] = ['settings', 'hooks', 'tensors', 'signals', 'logger'];

/**
 * Trains in a web worker, or in a worker thread of Node. `start` is a module that calls `defineTraining`, or a function that
 * starts a worker with it, as bundlers want it:
 *
 * @example await trainInWorker(() => new Worker(new URL('./training.js', import.meta.url), { type: 'module' }));
 */
export function trainInWorker(start: WorkerStart, options: TrainInWorkerOptions = {}): WorkerTraining {
  const session = new Session(start, options);
  return Object.defineProperty(
    Object.assign(session.result, {
      stop: (reason?: string) => session.act({ verb: 'stop', reason: reason ?? 'stop() was called' }),
      requestCheckpoint: (reason?: string) =>
        session.act({ verb: 'requestCheckpoint', reason: reason ?? 'requestCheckpoint() was called' }),
      requestValidation: () => session.act({ verb: 'requestValidation' }),
      terminate: () => session.terminate(),
    }),
    'leftOut',
    { get: () => session.leftOut },
  ) as WorkerTraining;
}

class Session {
  readonly result: Promise<FitResult>;
  leftOut = 0;
  readonly #post: (message: ToWorker) => void;
  readonly #terminateWorker: () => void;
  readonly #train: TrainMessage;
  readonly #manager = new HookManager();
  readonly #mirror: Mirror;
  readonly #pump: EventPump;
  readonly #logger: HookLogger;
  readonly #removeSignals: () => void;
  #stopWatching = () => {};
  #settle!: { resolve(result: FitResult): void; reject(error: unknown): void };
  #isOver = false;
  /** The worker has said how it ended; that it is gone then is nothing new. */
  #hasAnswered = false;
  #isStarted = false;
  /** Verbs for a worker that has not said yet that it is there. */
  readonly #early: Verb[] = [];
  /** Of a hook of this side, which ends the run. */
  #failure: unknown;

  constructor(start: WorkerStart, options: TrainInWorkerOptions) {
    checkOptions(options);
    const { hooks = [], tensors = [], settings, signals = true } = options;
    this.#train = {
      type: 'train',
      settings,
      events: eventsOf(hooks),
      hooks: hooks.map(({ name }) => name),
      tensors: hooks.some(({ needs }) => needs?.includes('outputs'))
        ? [...new Set([...tensors, 'outputs' as const])]
        : tensors,
      life: `hookline-${crypto.randomUUID()}`,
    };
    for (const hook of hooks) this.#manager.add(hook);
    this.#logger = options.logger ?? lineLogger((line) => this.#write(line));
    this.#mirror = new Mirror((verb) => this.act(verb), this.#logger);
    this.#pump = new EventPump(this.#manager, this.#mirror, (events) =>
      this.#post({ type: 'done-with', events }),
    );
    this.result = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    const worker = host.startWorker(start, {
      onMessage: (data) => this.#onMessage(data),
      onDeath: (why, cause) => void this.#onDeath(why, cause),
    });
    this.#post = (message) => worker.post({ [MARK]: message });
    this.#terminateWorker = () => worker.terminate();
    this.#removeSignals = signals ? host.onSignal((signal) => this.#onSignal(signal)) : () => {};
  }

  act(verb: Verb): void {
    if (this.#isOver) return;
    if (this.#isStarted) this.#post({ type: 'verb', ...verb });
    else this.#early.push(verb);
  }

  terminate(): void {
    if (this.#isOver) return;
    void this.#onDeath('terminate() was called');
  }

  #onMessage(data: unknown): void {
    const message = (data as { [MARK]?: FromWorker } | undefined)?.[MARK];
    if (message === undefined || this.#isOver) return;
    switch (message.type) {
      case 'hello':
        this.#begin();
        break;
      case 'alive':
        this.#stopWatching = host.watchLife(this.#train.life, (why) => void this.#onDeath(why));
        break;
      case 'events':
        this.#noteLeftOut(message.leftOut);
        this.#pump.take(message.events).catch((error) => this.#onFatal(error));
        break;
      case 'ended':
        this.#hasAnswered = true;
        void this.#end(message.result as FitResult);
        break;
      case 'failed':
        this.#hasAnswered = true;
        void this.#fail(fromPlain(message.error));
    }
  }

  #begin(): void {
    try {
      this.#post(this.#train);
    } catch (cause) {
      const error = workerError(
        'WORKER_SETTINGS',
        `settings cannot be sent to the worker: ${messageOf(cause)} Expected what a message can hold: no functions, no tensors, no class instances. Make those in the training module.`,
        cause,
      );
      void this.#fail(error);
      return;
    }
    this.#isStarted = true;
    for (const verb of this.#early.splice(0)) this.act(verb);
  }

  /** A hook of this side cannot let training go on: the run is stopped, so that it ends cleanly. */
  #onFatal(error: unknown): void {
    this.#failure ??= error;
    this.act({ verb: 'stop', reason: `a hook of the main side failed: ${messageOf(error)}` });
  }

  #onSignal(signal: string): void {
    this.#logger.warn(`${signal}: finishing the step. A second one stops at once.`);
    this.act({ verb: 'stop', reason: signal });
  }

  async #end(result: FitResult): Promise<void> {
    await this.#pump.settled().catch(() => {});
    if (this.#failure !== undefined) return this.#fail(this.#failure);
    if (!this.#close()) return;
    host.reportExitCode(result.exitCode);
    const hookCosts = [...result.hookCosts, ...this.#manager.costs()];
    this.#settle.resolve({ ...result, hookCosts });
  }

  async #fail(error: unknown): Promise<void> {
    await this.#pump.settled().catch(() => {});
    if (!this.#close()) return;
    await this.#pump.abandon(error);
    this.#settle.reject(error);
  }

  async #onDeath(why: string, cause?: unknown): Promise<void> {
    if (this.#hasAnswered || !this.#close()) return;
    const error = workerDied(why, this.#mirror.step, cause);
    await this.#pump.abandon(error);
    this.#settle.reject(error);
  }

  /** Returns whether this was the end; there is only one. */
  #close(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#removeSignals();
    this.#stopWatching();
    this.#terminateWorker();
    return true;
  }

  #noteLeftOut(count: number): void {
    if (count > 0 && this.leftOut === 0) {
      this.#logger.warn(
        'Hooks of this side are slower than training: some events of batches do not reach them. Training does not wait.',
      );
    }
    this.leftOut = count;
  }

  #write(line: string): void {
    const drawing = this.#mirror.shared.get(terminalKey);
    if (drawing) drawing.above(() => host.writeError(line));
    else host.writeError(line);
  }
}

function checkOptions(options: TrainInWorkerOptions): void {
  checkKeys(options, KEYS, 'trainInWorker()');
  const wrong = options.tensors?.find((name) => !TENSOR_FIELDS.includes(name));
  if (wrong === undefined) return;
  throw workerError(
    'WORKER_OPTIONS',
    `trainInWorker(): tensors names "${wrong}".${didYouMean(wrong, TENSOR_FIELDS)} Expected some of: ${TENSOR_FIELDS.join(', ')}.`,
  );
}
