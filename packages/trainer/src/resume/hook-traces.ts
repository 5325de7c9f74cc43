import type { HookManager, Metrics } from '@hookline/hook-api';
import { type HookStates, splitTensors } from './hook-states.js';

interface Numbers {
  metrics: Metrics;
  /** Not reported yet. */
  logged: Metrics;
}

type Traces = Numbers & { hooks: HookStates };

/** What hooks leave in the snapshots of a run: their states, and the numbers they logged. */
export class HookTraces {
  /** The states of hooks that a checkpoint had and this run does not; they are kept for later ones. */
  absent: HookStates = { json: {}, tensors: {} };
  /** From when training was broken off in the middle of an epoch. */
  #frozen: Promise<Traces> | undefined;

  constructor(
    private readonly hooks: HookManager,
    private readonly numbers: () => Numbers,
  ) {}

  /** As of the moment of the call. */
  async take(): Promise<Traces> {
    const { hooks, ...numbers } = await (this.#frozen ?? this.#now());
    const { absent } = this;
    return {
      ...numbers,
      hooks: {
        json: { ...absent.json, ...hooks.json },
        tensors: { ...absent.tensors, ...hooks.tensors },
      },
    };
  }

  /**
   * An epoch is broken off, and hooks are about to see its end, which does not happen in a resumed run: what they make
   * of it must not reach a snapshot.
   */
  async freeze(): Promise<void> {
    this.#frozen = this.#now();
    await this.#frozen.catch(() => {}); // that is for whoever takes a snapshot
  }

  async #now(): Promise<Traces> {
    const numbers = this.numbers();
    return { ...numbers, hooks: await splitTensors(this.hooks.saveState()) };
  }
}
