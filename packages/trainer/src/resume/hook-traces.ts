import type { HookLogger, HookManager, Metrics } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { type HookStates, splitTensors } from './hook-states.js';

interface Numbers {
  metrics: Metrics;
  /** Not reported yet. */
  logged: Metrics;
}

type Traces = Numbers & { hooks: HookStates };

/** With the errors of hooks whose states are not among them. */
type Taken = Traces & { failures: readonly unknown[] };

/** What hooks leave in the snapshots of a run: their states, and the numbers they logged. */
export class HookTraces {
  /** The states of hooks that a checkpoint had and this run does not; they are kept for later ones. */
  absent: HookStates = { json: {}, tensors: {} };
  /** From when training was broken off in the middle of an epoch. */
  #frozen: Promise<Taken> | undefined;

  constructor(
    private readonly hooks: HookManager,
    private readonly numbers: () => Numbers,
    /** Whether the run has failed: then what can be saved is saved. */
    private readonly emergency: () => { isOn: boolean; logger: HookLogger },
  ) {}

  /** As of the moment of the call. */
  async take(): Promise<Traces> {
    const { hooks, failures, ...numbers } = await (this.#frozen ?? this.#now());
    this.#handle(failures);
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

  async #now(): Promise<Taken> {
    const numbers = this.numbers();
    const failures: unknown[] = [];
    const onFailure = (error: unknown) => void failures.push(error);
    const hooks = await splitTensors(this.hooks.saveState(onFailure), onFailure);
    return { ...numbers, hooks, failures };
  }

  /** A checkpoint without the state of a hook would resume differently; after a failure it is better than none. */
  #handle(failures: readonly unknown[]): void {
    const { isOn, logger } = this.emergency();
    for (const failure of failures) {
      if (!isOn) throw failure;
      logger.error(
        { err: failure },
        `The checkpoint is saved without the state of a hook. ${messageOf(failure)}`,
      );
    }
  }
}
