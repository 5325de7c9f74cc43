import type { EventName, Hook, HookLogger } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';

/** Steps between two looks at the number of tensors. */
const WINDOW = 50;

/**
 * So many windows in a row must have ended with more tensors than they began with. A hook may keep some hundreds, a
 * model may fill a cache, batches may be on their way: all of that ends.
 */
const GROWING = 10;

/** What a hook must have added in one window to be named: it may make something once, and keep it. */
const LEAST = 5;

/**
 * Names the hooks that leave tensors behind, once in a run. Counts tensors every 50 steps; when their number has grown for
 * 500, it wants to know for 50 steps what each call of a hook adds.
 */
export class LeakWatch {
  #nextLook = 0;
  #count = Number.POSITIVE_INFINITY;
  #growing = 0;
  /** What each hook has added, by event, while a leak is being traced. */
  #traced: Map<Hook, Map<EventName, number>> | undefined;

  constructor(private readonly logger: HookLogger) {}

  /** Whether somebody must call `note` for each call of a hook. */
  get isTracing(): boolean {
    return this.#traced !== undefined;
  }

  enterStep(step: number): void {
    if (step >= this.#nextLook) this.#look(step);
  }

  note(hook: Hook, event: EventName, added: number): void {
    if (!this.#traced || added === 0) return;
    const byEvent = this.#traced.get(hook) ?? new Map<EventName, number>();
    byEvent.set(event, (byEvent.get(event) ?? 0) + added);
    this.#traced.set(hook, byEvent);
  }

  #look(step: number): void {
    const count = tf.memory().numTensors;
    const grown = count - this.#count;
    this.#count = count;
    this.#nextLook = step + WINDOW;
    this.#growing = grown > 0 ? this.#growing + 1 : 0;
    if (this.#traced) this.#judge(this.#traced, grown, step);
    else if (this.#growing >= GROWING) this.#traced = new Map();
  }

  #judge(traced: ReadonlyMap<Hook, ReadonlyMap<EventName, number>>, grown: number, step: number): void {
    this.#traced = undefined;
    this.#growing = 0;
    // More than all growth: it disposes elsewhere, or others made tensors while the run waited for it.
    const leaks = [...traced].map(leakOf).filter(({ added }) => added >= LEAST && added <= grown);
    if (leaks.length === 0) return;
    this.#nextLook = Number.POSITIVE_INFINITY;
    const since = `The number of tensors has grown for ${WINDOW * (GROWING + 1)} steps.`;
    const isCertain = leaks.reduce((sum, { added }) => sum + added, 0) <= grown;
    if (isCertain)
      for (const { hook, event, added } of leaks)
        this.logger.warn(
          { event, step, tensors: added },
          `Hook "${hook}" leaks tensors: ${rate(added)}, in ${event}. ${since} ${ADVICE}`,
        );
    else {
      const each = leaks.map(({ hook, event, added }) => `"${hook}" (${rate(added)}, in ${event})`);
      this.logger.warn(
        { step, tensors: grown },
        `Tensors leak: ${rate(grown)}. ${since} These hooks make more than they dispose in the same call, and at least one of them never disposes the rest: ${each.join(', ')}. ${ADVICE}`,
      );
    }
  }
}

const ADVICE = 'Dispose what the hook makes, or put a tf.tidy around it.';

interface Leak {
  readonly hook: string;
  /** Where most of it is. */
  readonly event: EventName;
  /** In one window, over all events. */
  readonly added: number;
}

function leakOf([{ name }, byEvent]: [Hook, ReadonlyMap<EventName, number>]): Leak {
  const events = [...byEvent].toSorted(([, a], [, b]) => b - a);
  return { hook: name, event: events[0]![0], added: events.reduce((sum, [, added]) => sum + added, 0) };
}

function rate(added: number): string {
  const perStep = added / WINDOW;
  return Number.isInteger(perStep) ? `${perStep} a step` : `${added} in ${WINDOW} steps`;
}
