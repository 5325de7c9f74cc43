import { EVENTS, type EventName, type PhaseMark, type RunPhase } from '@hookline/hook-api';

/** So many marks are kept for a hook that asks too rarely; then it loses the older half. */
const MOST_MARKS = 100_000;

/** The phase that the run is in. It is the same object again after an interruption. */
interface Current {
  readonly phase: RunPhase;
  readonly hook: string | undefined;
  readonly event: string | undefined;
  start: number;
}

/**
 * Marks from when to when a run is in each phase: it is always in one, so that the marks add up to the time that has
 * passed. There is a clock only while a hook asks for phases.
 */
export class PhaseClock {
  #current: Current;
  /** By the hook that asks: the marks that it has not taken yet. */
  #marks = new Map<string, PhaseMark[]>();
  /** The same lists, to walk through: there is one in nearly every run. */
  #lists: PhaseMark[][] = [];

  constructor(phase: RunPhase, start: number) {
    this.#current = { phase, hook: undefined, event: undefined, start };
  }

  /** Marks are kept for these hooks from now on. */
  keepFor(hooks: readonly string[]): void {
    this.#marks = new Map(hooks.map((hook) => [hook, this.#marks.get(hook) ?? []]));
    this.#lists = [...this.#marks.values()];
  }

  /** The marks since this hook last took them; the current phase continues. */
  take(hook: string): readonly PhaseMark[] {
    // Emptied and not replaced: the list has the size of a step already.
    return this.#marks.get(hook)?.splice(0) ?? [];
  }

  begin(phase: RunPhase): void {
    const { phase: before, hook } = this.#current;
    if (phase !== before || hook !== undefined) this.#turnTo(current(phase));
  }

  /** Counts `work` as this phase, then goes back to the one that it interrupted, whatever becomes of it. */
  during<Result>(phase: RunPhase, work: () => Result): Result {
    const interrupted = this.#current;
    const own = current(phase);
    this.#turnTo(own);
    let isPending = false;
    try {
      const result = work();
      isPending = result instanceof Promise;
      return isPending
        ? ((result as Promise<unknown>).finally(() => this.#goBack(own, interrupted)) as Result)
        : result;
    } finally {
      if (!isPending) this.#goBack(own, interrupted);
    }
  }

  /** A method of a hook begins; returns what to call once it has settled. */
  enter(hook: string, event: string): () => void {
    const isTransform = EVENTS[event as EventName].kind === 'transform';
    const interrupted = this.#current;
    const own = current(isTransform ? 'transform' : 'hooks', hook, event);
    this.#turnTo(own);
    return () => this.#goBack(own, interrupted);
  }

  #goBack(own: Current, interrupted: Current): void {
    // Otherwise the run has moved on meanwhile: what a hook does in the background may end at any time.
    if (this.#current === own) this.#turnTo(interrupted);
  }

  #turnTo(next: Current): void {
    const { phase, hook, event, start } = this.#current;
    const end = performance.now();
    next.start = end;
    this.#current = next;
    if (end <= start) return;
    for (const marks of this.#lists) {
      // Each hook has its own: freezing one for all takes several times as long, and there are dozens in a step.
      if (marks.push({ phase, start, end, hook, event }) >= MOST_MARKS) marks.splice(0, MOST_MARKS / 2);
    }
  }
}

/** Always the same fields in the same order, which keeps V8 on its quick path. */
function current(phase: RunPhase, hook?: string, event?: string): Current {
  return { phase, hook, event, start: 0 };
}
