import type { Hook, HookLogger } from '@hookline/hook-api';
import { hookTimeoutError } from '../errors.js';

/** A hook that the run waits for. */
interface Wait {
  readonly hook: Hook;
  readonly event: string;
  ticks: number;
  readonly fail: (error: Error) => void;
}

/** The limit is counted in pieces: time in which the process is stopped, busy or in a debugger counts as one of them. */
const TICKS = 10;

const CAUSED_BY_HOOKS: ReadonlySet<string> = new Set(['onBeforeCheckpointSave', 'onCheckpointSave']);

/**
 * Ends the wait for a hook whose promise does not settle, and names it. Runs one timer, and only while a hook is being
 * waited for; the timer then keeps the process alive, which would otherwise end as if all were well.
 */
export class HookWatch {
  readonly #waits: Wait[] = [];
  #timer: Timer | undefined;

  /** `seconds` is `Infinity` where nobody watches. */
  constructor(
    private readonly seconds: number,
    private readonly logger: HookLogger,
  ) {}

  /** What to wait for when a method of the hook has returned this. */
  over(hook: Hook, event: string, returned: unknown): unknown {
    if (this.seconds === Infinity || !isPromise(returned)) return returned;
    return new Promise((resolve, reject) => {
      const wait: Wait = { hook, event, ticks: 0, fail: (error) => this.#end(wait, () => reject(error)) };
      this.#begin(wait);
      returned.then(
        (value) => this.#end(wait, () => resolve(value)),
        (error) => this.#end(wait, () => reject(error)),
      );
    });
  }

  /** The hook that the run waits for at the moment. */
  get waitsFor(): { hook: string; event: string } | undefined {
    const wait = this.#awaited;
    return wait && { hook: wait.hook.name, event: wait.event };
  }

  dispose(): void {
    clearInterval(this.#timer as never);
    this.#timer = undefined;
  }

  #begin(wait: Wait): void {
    this.#waits.push(wait);
    this.#timer ??= setInterval(() => this.#tick(), (this.seconds * 1000) / TICKS) as Timer;
    this.#timer.ref?.();
  }

  #end(wait: Wait, settle: () => void): void {
    const index = this.#waits.indexOf(wait);
    if (index < 0) return;
    this.#waits.splice(index, 1);
    if (this.#waits.length === 0) this.#timer?.unref?.();
    settle();
  }

  /** A hook that saves a checkpoint causes events of others, and waits for them: then it is not the one that hangs. */
  get #awaited(): Wait | undefined {
    return this.#waits.findLast(({ event }) => CAUSED_BY_HOOKS.has(event)) ?? this.#waits.at(-1);
  }

  #tick(): void {
    const wait = this.#awaited;
    if (!wait) this.dispose();
    else if (++wait.ticks >= TICKS) this.#judge(wait);
  }

  #judge({ hook, event, ticks, fail }: Wait): void {
    const seconds = (ticks * this.seconds) / TICKS;
    if (seconds >= (hook.timeout ?? 0)) fail(hookTimeoutError(hook.name, event, seconds));
    else if (ticks === TICKS)
      this.logger.warn(
        `Hook "${hook.name}" has been busy in ${event} for ${seconds} s. The run waits for it.`,
      );
  }
}

/** A number in a browser. */
interface Timer {
  ref?(): void;
  unref?(): void;
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as Partial<Promise<unknown>> | null | undefined)?.then === 'function';
}
