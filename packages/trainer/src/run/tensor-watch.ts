import {
  EVENTS,
  type EventName,
  type EventOfKind,
  type Hook,
  type HookEvents,
  type HookLogger,
  HooklineError,
  type HookManager,
  type TrainingState,
} from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import { Disposals } from './disposals.js';
import { LeakWatch } from './leak-watch.js';
import { payloadTensors, type ShownTensor, shownTensors } from './payload-tensors.js';

/** So many dispatches of each event are looked at: a hook that disposes what is not its own mostly does so at once. */
const LOOKS = 3;

const ADVICE =
  'What an event shows belongs to the trainer, and weights to the model: dispose only what you have made yourself.';

/** What tfjs says; the last one is its `moveData`, which finds no entry for the tensor. */
const IS_DISPOSED = /\bdisposed\b|reading 'backend'/;

type Only = (hook: Hook) => boolean;

/**
 * Knows which hook disposed tensors that are not its own, and which one leaves tensors behind. In the first few
 * dispatches of an event it notes who disposes a tensor that the event shows, and in which line of code. While a leak is
 * being traced hooks are called one by one. Every other dispatch costs two comparisons more than without it.
 */
export class TensorWatch {
  readonly #leaks: LeakWatch;
  /** The hooks' revision for which `#looks` counts. */
  #revision = -1;
  /** How many looks are left, where there has been one. */
  #looks: Partial<Record<EventName, number>> = {};
  /** What was disposed, by event. */
  readonly #disposals = new Map<string, string>();

  constructor(
    private readonly hooks: HookManager,
    private readonly state: TrainingState,
    private readonly logger: HookLogger,
  ) {
    this.#leaks = new LeakWatch(logger);
  }

  /** The hooks are set up, or have changed. */
  restart(): void {
    this.#revision = this.hooks.revision;
    this.#looks = {};
  }

  enterStep(): void {
    this.#leaks.enterStep(this.state.step);
  }

  /** As the hooks' own `call`. */
  call<Name extends EventOfKind<'observe'>>(
    event: Name,
    payload: HookEvents[Name],
    wanted?: Only,
  ): void | Promise<void> {
    if (!this.#isWatching(event)) return this.hooks.call(event, payload, wanted);
    const disposals = this.#takeLook(event);
    const visit = (called: readonly Hook[], only?: Only) => {
      const look = this.#lookAfter(called, event, payload, disposals);
      const pending = this.hooks.call(event, payload, only);
      return pending instanceof Promise ? pending.then(() => look(payload)) : look(payload);
    };
    return this.#visitAll(event, disposals, visit, wanted);
  }

  readonly transform: HookManager['transform'] = (event, payload, accept, wanted) => {
    if (!this.#isWatching(event)) return this.hooks.transform(event, payload, accept, wanted);
    const disposals = this.#takeLook(event);
    let current: unknown = payload;
    const acceptSeen: typeof accept = (...given) => {
      const next = accept(...given);
      disposals?.watch(this.#tensorsIn(next as object));
      return next;
    };
    const visit = (called: readonly Hook[], only?: Only) => {
      const look = this.#lookAfter(called, event, current as object, disposals);
      const settle = (next: unknown) => {
        current = next;
        look(next as object);
      };
      const next: unknown = this.hooks.transform(event, current as never, acceptSeen, only);
      return next instanceof Promise ? next.then(settle) : settle(next);
    };
    const pending = this.#visitAll(event, disposals, visit, wanted);
    return (pending ? pending.then(() => current) : current) as never;
  };

  /** The error that ended the run; where that was a disposed tensor, it names the hook that disposed it. */
  explain(error: unknown): unknown {
    const message = messageOf(error);
    if (!IS_DISPOSED.test(message)) return error;
    const known = [...this.#disposals.values()];
    // Errors of our own say what to do already.
    const suspects = known.length > 0 || error instanceof HooklineError ? [] : this.#suspects();
    if (suspects.length > 0)
      known.push(
        `A tensor that the step needs was disposed: by the model, by the loss, or by one of the hooks that are called in this step: ${suspects.join(', ')}.`,
      );
    if (known.length === 0) return error;
    return trainerError(
      'DISPOSED_TENSOR',
      `${known.join(' ')} ${ADVICE} The run failed with: ${message}`,
      error,
    );
  }

  #isWatching(event: EventName): boolean {
    if (this.hooks.revision === this.#revision) return this.#looks[event] !== 0 || this.#leaks.isTracing;
    // A dispatch after a change sets hooks up and tears them down, and must have all of them.
    if (!EVENTS[event].sync) this.restart();
    return false;
  }

  /** What is noted about the tensors of this dispatch, if they are to be looked at. */
  #takeLook(event: EventName): Disposals | undefined {
    const left = this.#looks[event] ?? LOOKS;
    this.#looks[event] = Math.max(0, left - 1);
    return left > 0 ? new Disposals() : undefined;
  }

  /** All listeners in one dispatch; one by one while a leak is being traced. */
  #visitAll(
    event: EventName,
    disposals: Disposals | undefined,
    visit: (called: readonly Hook[], only?: Only) => void | Promise<void>,
    wanted: Only | undefined,
  ): void | Promise<void> {
    const all = this.hooks.listeners(event);
    const listeners = wanted ? all.filter(wanted) : all;
    if (!this.#leaks.isTracing) return visit(listeners, bothOf(wanted, disposals?.enter));
    return inTurn(listeners, (hook) => visit([hook], (each) => each === hook));
  }

  /** To be called before hooks are; what it returns, with what they have made of the payload. */
  #lookAfter(
    called: readonly Hook[],
    event: EventName,
    given: object,
    disposals: Disposals | undefined,
  ): (result: object) => void {
    const before = this.#tensorsIn(given);
    disposals?.watch(before);
    const known = new Set(before.map(({ tensor }) => tensor));
    const alive = new Set([...known].filter((tensor) => !tensor.isDisposed));
    const count = tf.memory().numTensors;
    return (result) => {
      disposals?.stop();
      const after = result === given ? before : this.#tensorsIn(result);
      const added = after.filter(({ tensor }) => !known.has(tensor));
      const gone = after.filter(
        ({ tensor }) => tensor.isDisposed && (alive.has(tensor) || !known.has(tensor)),
      );
      if (disposals && gone.length > 0) this.#noteDisposed(called, event, gone, disposals);
      // What is made on the tape goes with the tape.
      if (!this.#leaks.isTracing || EVENTS[event].sync) return;
      // What a transform returns is the trainer's, which has disposed what was replaced.
      const replaced = [...alive].filter((tensor) => tensor.isDisposed);
      this.#leaks.note(called[0]!, event, tf.memory().numTensors - count - added.length + replaced.length);
    };
  }

  #tensorsIn(payload: object): ShownTensor[] {
    return [...payloadTensors(payload), ...shownTensors('ctx.state.parameters', this.state.parameters)];
  }

  #noteDisposed(
    called: readonly Hook[],
    event: EventName,
    gone: readonly ShownTensor[],
    disposals: Disposals,
  ): void {
    if (this.#disposals.has(event)) return;
    const { hooks: seen, place } = disposals.of(gone);
    const [who, word] = seen.length > 0 ? [seen, ' and '] : [called, ' or '];
    const hooks = who.map(({ name }) => `"${name}"`).join(word);
    const names = gone.slice(0, 3).map((shown) => shown.name);
    const more = gone.length > 3 ? ` and ${gone.length - 3} more` : '';
    const finding = `Hook ${hooks} disposed ${names.join(', ')}${more} in ${event}${place ?? ''}.`;
    this.#disposals.set(event, finding);
    this.logger.warn({ event }, `${finding} ${ADVICE}`);
  }

  /** The hooks that see tensors of a batch in this step. */
  #suspects(): string[] {
    const isCalled = (hook: Hook) =>
      SHOW_TENSORS.some((event) => this.hooks.due(event, (each) => each === hook));
    return this.hooks
      .listeners(...SHOW_TENSORS)
      .filter(isCalled)
      .map(({ name }) => `"${name}"`);
  }
}

const SHOW_TENSORS = [
  'onTrainBatchStart',
  'transformBatch',
  'onTrainBatchReady',
  'onForward',
  'transformActivation',
  'transformLoss',
  'onBeforeBackward',
  'onAfterBackward',
  'transformGradients',
  'onGradientsReady',
  'onBeforeOptimizerStep',
  'onAfterOptimizerStep',
  'onTrainBatchEnd',
] as const satisfies readonly EventName[];

/** The second is asked about those only that the first lets through. */
function bothOf(first: Only | undefined, second: Only | undefined): Only | undefined {
  return first && second ? (hook) => first(hook) && second(hook) : (first ?? second);
}

/** One after the other; without a promise unless one of them returns one. */
function inTurn(
  hooks: readonly Hook[],
  visit: (hook: Hook) => void | Promise<void>,
  start = 0,
): void | Promise<void> {
  for (let index = start; index < hooks.length; index++) {
    const pending = visit(hooks[index]!);
    if (pending) return pending.then(() => inTurn(hooks, visit, index + 1));
  }
}
